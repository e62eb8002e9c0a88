# SPDX-License-Identifier: Apache-2.0
# What the cases of the guest share. One side of the rails is rxa*, the other rxb*: two "hosts" in one network namespace.
# Whatever is waited for is an event with a generous deadline: on a busy host everything takes ten times as long.
set -u
trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT

fail() { echo "$*"; exit 1; }
skip() { echo "$*"; exit 77; }

# The file is one JSON value, and the expression is true of it. (Of an empty file jq says nothing, and succeeds.)
holds() { jq -es "length == 1 and (.[0] | $1)" "$2" >/dev/null || { cat "$2"; return 1; }; }  # EXPRESSION FILE

until_true() {  # WHAT-IS-MISSING-OTHERWISE COMMAND...
  local what=$1 deadline=$((SECONDS + ${DEADLINE:-60})); shift
  until "$@"; do
    [ $SECONDS -lt $deadline ] || fail "$what"
    sleep 0.1
  done
}

# Both ends, in two processes, with all NICs unless NICS, as "0 1", says which.
exec_perf() {
  NCCL_IB_HCA=$(nics rxa) exec polyrail perf --local --peer-hca "$(nics rxb)" --plugin "$BUILD/libnccl-net-polyrail.so" --patience 60 "$@"
}
nics() { local all; printf -v all "$1%s," ${NICS:-""}; echo "${all%,}"; }
perf() { (exec_perf "$@"); }

# Cases of the contract host, one rank on the a side and one on the b side.
lint() {  # NICS-OF-A,NICS-OF-B OPTION...
  local nics=$1; shift
  NCCL_IB_HCA=rxa0,rxb0 "$BUILD/test/net-lint" "$BUILD/libnccl-net-polyrail.so" --versions 12 --quick --patience 30 \
    --slow-host 10 --rank-env "NCCL_IB_HCA=$nics" "$@"
}

# RoCE gives up after some 0.3 s and not after a minute (7 retries are for ever on rxe), and a connection without any
# rail of its own after 3 s: it has no siblings' NICs to go on over.
impatient() { export NCCL_IB_TIMEOUT=14 NCCL_IB_RETRY_CNT=3 POLYRAIL_NO_PATH_TIMEOUT=3000 POLYRAIL_STANDBY=0; }

# What `polyrail rails` finds, in this environment, is as the expression of jq says; port(NAME) is one of them.
rails() {  # EXPRESSION WHAT-IS-WRONG-OTHERWISE
  polyrail rails --json >found
  holds "def names: [.ports[].device] | sort; def port(\$name): .ports[] | select(.device == \$name); $1" found || fail "$2"
}

packets() { cat "/sys/class/infiniband/$1/ports/1/hw_counters/sent_pkts"; }

# under_load NIC [PERF-ARGUMENT...]: starts traffic in the background, its output in load.log, and returns when it flows
# over the NIC. It goes on until it breaks, or end_load ends it and says whether every byte was right.
under_load() {
  local nic=$1; shift
  exec_perf --bandwidth --verify-every --seconds "${LOAD_SECONDS:-3600}" "$@" >load.log 2>&1 & load=$!
  flows_over "$nic" 1000
}
load_status() { local status=0; wait "$load" || status=$?; cat load.log; return $status; }
end_load() { kill "$load"; load_status; }

# Traffic flows over the NIC, or flows again.
flows_over() {  # NIC [PACKETS]
  local nic=$1 goal; goal=$(($(packets "$1") + ${2:-300}))
  until_true "no traffic over $nic: $(cat load.log)" flowed_or_ended "$nic" "$goal"
  kill -0 "$load" 2>/dev/null || { cat load.log; fail "the traffic ended before it flowed over $nic"; }
}
flowed_or_ended() { [ "$(packets "$1")" -ge "$2" ] || ! kill -0 "$load" 2>/dev/null; }

# The load ends with an error that says more than that it ended, and with no wrong byte.
load_fails() {  # TEXT
  local status=0; load_status || status=$?
  [ $status = 4 ] || fail "status $status, not 4: there was nothing wrong, or wrong data"
  grep -q "$1" load.log || fail "the error does not say '$1'"
}
