# SPDX-License-Identifier: Apache-2.0
# A rail fails under load and comes back: no byte is lost, wrong or double, traffic goes on over the others and returns
# by itself once link, address and routes are there again.

# On a busy host a rail may take seconds to come back: the connection waits for one as long as it does by default.
loaded() { impatient; unset POLYRAIL_NO_PATH_TIMEOUT; under_load rxa0 --rails "$1" --sizes 128K --in-flight 8; }
silence() { local net; for net in "a$1" "b$1"; do tc qdisc add dev "$net" root netem loss 100%; done; }
sound() { local net; for net in "a$1" "b$1"; do tc qdisc del dev "$net" root; done; }

case_cut_at_either_end_and_back() {
  loaded 2
  ip link set a0 down; flows_over rxa1; sleep 1
  rxe-rails; flows_over rxa0
  ip link set b1 down; flows_over rxa0; sleep 1
  rxe-rails; flows_over rxa1
  end_load
}
case_silent_and_back() {
  loaded 2
  silence 0; flows_over rxa1; sleep 1
  sound 0; flows_over rxa0
  end_load
}
case_three_of_four() {
  [ "$VM_RAILS" -ge 4 ] || skip "fewer than 4 rails"
  loaded 4
  ip link set a0 down; ip link set b1 down; silence 2; flows_over rxa3
  rxe-rails; sound 2; flows_over rxa0; flows_over rxa1; flows_over rxa2
  end_load
}
case_address_goes_and_comes() {
  loaded 2
  ip addr del 10.77.0.1/24 dev a0; flows_over rxa1; sleep 1
  rxe-rails; flows_over rxa0
  end_load
}
# With no other rail the connection waits for it.
case_only_rail_comes_back() {
  loaded 1
  ip link set b0 down; sleep 2
  rxe-rails; flows_over rxa0
  end_load
}
# With no other rail of its own, but with the NIC of one sibling.
case_standby_and_back() {
  impatient; unset POLYRAIL_NO_PATH_TIMEOUT POLYRAIL_STANDBY
  NICS="0 1" under_load rxa0 --rails 1 --sizes 64K
  ip link set b0 down; flows_over rxa1; sleep 1
  rxe-rails; flows_over rxa0
  end_load
}
