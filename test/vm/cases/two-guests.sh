# SPDX-License-Identifier: Apache-2.0
# What needs a peer that is really elsewhere: guest 1 has the a side, guest 2 the b side, and when guest 2 cuts its end
# guest 1 keeps a link that is up, with nobody behind it. Both guests run the same cases in step.

role() { [ "$VM_HOST" = 1 ] && echo client || echo server; }
elsewhere() {  # PERF-ARGUMENT...
  local plugin="--plugin $BUILD/libnccl-net-polyrail.so"
  # shellcheck disable=SC2086
  case $(role) in
    server) polyrail perf $plugin --port "$PORT";;
    client) polyrail perf 10.77.100.2 $plugin --port "$PORT" --patience 60 "$@";;
  esac
}

case_bytes_between_two_guests() { PORT=4001 elsewhere --verify-every --rails 1,2 --sizes 8,64K,1M --messages 20 --pings 20; }

# Guest 2 makes its end deaf, by FAULT, once traffic flows.
deaf() {  # PORT RAILS SECONDS
  local before i; before=$(packets "$(cd /sys/class/infiniband && echo rx?0)")
  PORT=$1 elsewhere --verify-every --rails "$2" --sizes 64K --seconds "$3" --bandwidth >log 2>&1 & load=$!
  [ "$(role)" = server ] || return 0
  for ((i = 0; i < 600; i++)); do [ $(($(packets rxb0) - before)) -lt 100 ] || break; sleep 0.05; done
  $FAULT
}
ended() { local status=0; wait $load || status=$?; cat log; [ $status = "$1" ] || fail "status $status, not $1"; }

# The address is gone: packets arrive and nobody answers.
case_silent_peer() {
  impatient
  FAULT="ip addr del 10.77.0.2/24 dev b0" deaf 4002 1 60
  ended 4
  grep -q "rx[ab]0" log || fail "the error does not name the rail"
}
case_silent_peer_is_heard_again() { PORT=4003 elsewhere --rails 2 --sizes 64K --messages 20 --pings 20; }
case_silent_peer_on_one_of_two_rails() { impatient; FAULT="ip addr del 10.77.0.2/24 dev b0" deaf 4004 2 5; ended 0; }
# The interface is down: the cable takes no more packets, and rxe at the other end waits without a completion.
case_stuck_peer_on_one_of_two_rails() { impatient; FAULT="ip link set b0 down" deaf 4005 2 5; ended 0; }
