# SPDX-License-Identifier: Apache-2.0
# Every byte of messages of every size class, over one, two and four rails.

verified() { perf --verify-every --rails "$1" --sizes "$2" "${@:3}"; }

case_every_size_1_rail() {
  verified 1 0,1,7,8,127,128,129,4095,4096,4097,64K --messages 16 --pings 10 || return
  verified 1 1M,8M --in-flight 2 --messages 3 --bandwidth
}
case_every_size_2_rails() {
  verified 2 0,8,129,4097,64K --messages 16 --pings 10 || return
  verified 2 1M,64M --in-flight 1 --messages 1 --bandwidth
}
case_every_size_4_rails() {
  [ "$VM_RAILS" -ge 4 ] || skip "fewer than 4 rails"
  verified 4 0,8,129,4097,64K,8M --messages 8 --pings 10
}
case_many_in_flight() { verified 2 8,32K --in-flight 32 --messages 200 --bandwidth; }
# The passes that are timed: numbers in messages, buffers used again.
case_timed() { perf --rails 2 --sizes 4K,64K --seconds 0.5 --pings 100; }
