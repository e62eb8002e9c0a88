# SPDX-License-Identifier: Apache-2.0
# Registration on kernel verbs: relaxed ordering, a driver without DMA-BUF, GPU memory by address and its flush by READ.

case_relaxed_ordering() {
  local way
  for way in 0 1 2; do
    NCCL_IB_PCI_RELAXED_ORDERING=$way perf --rails 2 --sizes 64K --messages 20 --pings 10 || fail "with $way"
  done
}

case_dma_buf_is_refused() {  # rxe answers EOPNOTSUPP, and that is told
  [ "$(port rxa0 .gpudirect.dmabuf)" = false ] || fail "a DMA-BUF where the kernel has none"
  port rxa0 .gpudirect.why | grep -q 'no DMA-BUF' || fail "$(port rxa0 .gpudirect.why)"
}

# The plugin believes that peermem is loaded: memory of ours plays the GPU's, which rxe can read by its address. Data
# is flushed by an RDMA READ after each receive.
with_peermem() {
  unshare -m sh -c 'mount -t tmpfs none /sys/module && mkdir /sys/module/nvidia_peermem &&
    echo 1 >/sys/module/nvidia_peermem/version && exec "$@"' - "$@"
}
case_gpu_memory_is_flushed() {
  export NCCL_IB_HCA=rxa0,rxb0
  with_peermem "$BUILD/test/net-lint" "$BUILD/libnccl-net-polyrail.so" --versions 12 --quick --patience 30 \
    --case gpu-memory --rank-env NCCL_IB_HCA=rxa0,rxb0 | tee lint
  grep -q '^gpu-memory .* passed' lint || fail "not passed"
}
case_gpu_memory_over_two_rails() {
  mkdir cuda && ln -s "$BUILD/test/plugins/memory_cuda.so" cuda/libcuda.so.1
  export -f perf
  LD_LIBRARY_PATH=$PWD/cuda with_peermem bash -c 'perf --cuda --rails 2 --sizes 8,64K,1M --messages 10 --pings 10 --json' | tee result
  jq -e '.clean and all(.results[]; .memory == "peermem")' result >/dev/null || fail "wrong bytes, or not by peermem"
}
