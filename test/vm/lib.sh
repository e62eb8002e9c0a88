# SPDX-License-Identifier: Apache-2.0
# What the cases of the guest share. One side of the rails is rxa*, the other rxb*: two "hosts" in one network namespace.
set -u

fail() { echo "$*"; exit 1; }
skip() { echo "$*"; exit 77; }

# Both ends, in two processes; A and B say which NICs each has.
perf() {
  NCCL_IB_HCA=${A:-rxa} polyrail perf --local --peer-hca "${B:-rxb}" --plugin "$BUILD/libnccl-net-polyrail.so" \
    --patience "${PATIENCE:-60}" "$@"
}

# RoCE gives up after some 0.3 s and not after a minute (7 retries are for ever on rxe), and a connection without any
# rail after 3 s.
impatient() { export NCCL_IB_TIMEOUT=14 NCCL_IB_RETRY_CNT=3 POLYRAIL_NO_PATH_TIMEOUT=3000; }

port() { polyrail rails --json | jq -r ".ports[] | select(.device == \"$1\") | $2"; }
packets() { cat "/sys/class/infiniband/$1/ports/1/hw_counters/sent_pkts"; }

# under_load NIC [PERF-ARGUMENT...]: starts traffic in the background, its output in load.log, and returns when it flows
# over the NIC. Then load_status waits for its end.
under_load() {
  local nic=$1 before i; shift
  before=$(packets "$nic")
  perf --bandwidth --verify-every "$@" >load.log 2>&1 & load=$!
  for ((i = 0; i < 600; i++)); do
    [ $(($(packets "$nic") - before)) -lt 1000 ] || return 0
    kill -0 $load 2>/dev/null || break
    sleep 0.05
  done
  cat load.log; fail "no traffic over $nic"
}
load_status() { local status=0; wait "$load" || status=$?; cat load.log; return $status; }

# Traffic flows over the NIC, or flows again.
flows_over() {  # NIC
  local before i; before=$(packets "$1")
  for ((i = 0; i < 600; i++)); do
    [ $(($(packets "$1") - before)) -lt 300 ] || return 0
    kill -0 "$load" 2>/dev/null || break
    sleep 0.05
  done
  cat load.log; fail "no traffic over $1 any more"
}

# The load ends with an error that says more than that it ended, and with no wrong byte.
load_fails() {  # TEXT
  local status=0; load_status || status=$?
  [ $status = 4 ] || fail "status $status, not 4: there was nothing wrong, or wrong data"
  grep -q "$1" load.log || fail "the error does not say '$1'"
}
