# SPDX-License-Identifier: Apache-2.0
# Registration on kernel verbs: relaxed ordering, a driver without DMA-BUF, GPU memory by address and its flush by READ.

case_relaxed_ordering() {  # by default it is what the other cases have
  local way
  for way in 0 1; do
    NCCL_IB_PCI_RELAXED_ORDERING=$way perf --rails 2 --sizes 64K --messages 20 --pings 10 || fail "with $way"
  done
}

case_dma_buf_is_refused() {  # rxe answers EOPNOTSUPP, and that is told
  rails 'port("rxa0").gpudirect | .dmabuf == false and (.why | test("no DMA-BUF"))' "a DMA-BUF where the kernel has none"
}

# The plugin believes that peermem is loaded: memory of ours plays the GPU's, which rxe can read by its address. Data
# is flushed by an RDMA READ after each receive.
with_peermem() {  # FUNCTION ARGUMENT...
  export -f lint perf exec_perf nics
  unshare -m bash -c 'mount -t tmpfs none /sys/module && mkdir /sys/module/nvidia_peermem &&
    echo 1 >/sys/module/nvidia_peermem/version && "$@"' - "$@"
}
case_gpu_memory_is_flushed() {
  with_peermem lint rxa0,rxb0 --case gpu-memory >result || { cat result; fail "status $?"; }
  grep -q '^gpu-memory .* passed' result || { cat result; fail "not passed"; }
}
case_gpu_memory_over_two_rails() {
  mkdir cuda && ln -s "$BUILD/test/plugins/memory_cuda.so" cuda/libcuda.so.1
  LD_LIBRARY_PATH=$PWD/cuda with_peermem perf --cuda --rails 2 --sizes 8,64K,1M --messages 10 --pings 10 --json >result ||
    fail "no result"
  holds '.clean and (.results | length == 3 and all(.memory == "peermem"))' result || fail "wrong bytes, or not by peermem"
}
