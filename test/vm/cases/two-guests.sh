# SPDX-License-Identifier: Apache-2.0
# What needs a peer that is really elsewhere: guest 1 has the a side, guest 2 the b side, and when guest 2 cuts its end
# guest 1 keeps a link that is up, with nobody behind it. Both guests run the same cases in step; guest 1 sends.

# Guest 2 says that something is so, and guest 1 waits for it, by a port of the cable that is never cut.
tell() { busybox nc -l -p "$1" </dev/null >/dev/null & }
told() { DEADLINE=150 until_true "guest 2 says nothing at port $1" answers "$1"; }
answers() { (: >"/dev/tcp/10.77.100.2/$1") 2>/dev/null; }

# Starts traffic in the background, as under_load does.
elsewhere() {  # PORT PERF-ARGUMENT...
  local port=$1 plugin="$BUILD/libnccl-net-polyrail.so"; shift
  if [ "$VM_HOST" = 2 ]; then
    polyrail perf --port "$port" --plugin "$plugin" >load.log 2>&1 & load=$!
    until_true "no port $port: $(cat load.log)" grep -q 'waiting on port' load.log
    tell $((port + 100))
  else
    told $((port + 100))
    polyrail perf 10.77.100.2 --port "$port" --plugin "$plugin" --patience 60 --verify-every "$@" >load.log 2>&1 & load=$!
  fi
}

# Traffic until it breaks or is ended; guest 2 makes its end deaf, by COMMAND, once it flows.
deaf() {  # PORT RAILS COMMAND...
  local port=$1 rails=$2; shift 2
  impatient
  elsewhere "$port" --rails "$rails" --sizes 64K --seconds 3600 --bandwidth
  [ "$VM_HOST" = 1 ] || { flows_over rxb0 100; "$@"; }
}
survives() {  # PORT: traffic goes on over the other rail
  if [ "$VM_HOST" = 2 ]; then flows_over rxb1; tell "$1"; load_status; else told "$1"; end_load; fi
}

case_bytes_between_two_guests() { elsewhere 4001 --rails 1,2 --sizes 8,64K,1M --messages 20 --pings 20; load_status; }

# The address is gone: packets arrive and nobody answers.
case_silent_peer() { deaf 4002 1 ip addr del 10.77.0.2/24 dev b0; load_fails 'rx[ab]0'; }
case_silent_peer_is_heard_again() { elsewhere 4003 --rails 2 --sizes 64K --messages 20 --pings 20; load_status; }
case_silent_peer_on_one_of_two_rails() { deaf 4004 2 ip addr del 10.77.0.2/24 dev b0; survives 4204; }
# The interface is down: the cable takes no more packets, and rxe at the other end waits without a completion.
case_stuck_peer_on_one_of_two_rails() { deaf 4005 2 ip link set b0 down; survives 4205; }
