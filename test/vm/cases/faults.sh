# SPDX-License-Identifier: Apache-2.0
# Rails that lose, are slow, are cut and come back. Whatever happens, no byte is wrong and nobody waits for ever.

both_ways() { local net; for net in "a$1" "b$1"; do tc qdisc add dev "$net" root "${@:2}"; done; }
again() { rxe-rails; perf --rails 2 --sizes 64K --messages 10 --pings 5 || fail "the rails do not work again"; }

# A packet that is lost is sent again after some 70 ms, before the watchdog looks (at the default of 4 s it would not be).
patient() { export NCCL_IB_TIMEOUT=14 NCCL_IB_RETRY_CNT=6; }
case_loss() { patient; both_ways 0 netem loss 1%; perf --verify-every --rails 1 --sizes 8,64K --messages 60 --pings 20; }
case_loss_of_one_of_two() { patient; both_ways 1 netem loss 2%; perf --verify-every --rails 2 --sizes 64K,1M --messages 30 --bandwidth; }
case_delay() { both_ways 0 netem delay 3ms; perf --verify-every --rails 2 --sizes 8,64K --messages 20 --pings 10; }
case_a_rail_at_a_quarter() {
  both_ways 0 tbf rate 48mbit burst 64k latency 50ms
  both_ways 1 tbf rate 12mbit burst 64k latency 50ms
  perf --verify-every --rails 2 --sizes 64K,1M --in-flight 8 --messages 16 --bandwidth
}
case_short_silence() {  # shorter than the retries
  patient
  under_load rxa0 --rails 1 --sizes 64K
  both_ways 0 netem loss 100%; sleep 0.3; tc qdisc del dev a0 root; tc qdisc del dev b0 root
  flows_over rxa0
  end_load
}

# The only rail, cut for good at the sender's end, at the receiver's, and silent: an error that names it, at both ends.
case_only_rail_cut_at_sender() {
  impatient; under_load rxa0 --rails 1 --sizes 64K
  ip link set a0 down; load_fails rxa0; again
}
case_only_rail_cut_at_receiver() {
  impatient; under_load rxa0 --rails 1 --sizes 64K
  ip link set b0 down; load_fails rxa0; again
}
case_only_rail_silent() {
  impatient; under_load rxa0 --rails 1 --sizes 64K
  both_ways 0 netem loss 100%; load_fails rxa0
  tc qdisc del dev a0 root; tc qdisc del dev b0 root; again
}
