# SPDX-License-Identifier: Apache-2.0
# Every byte of messages of every size class, over one, two and four rails.

every_size() {
  perf --verify-every --rails "$1" --sizes 0,1,7,8,127,128,129,4095,4096,4097,64K --in-flight 8 --messages 24 --pings 20 || return
  perf --verify-every --rails "$1" --sizes 1M,8M --in-flight 2 --messages 3 --bandwidth
}
case_every_size_1_rail() { every_size 1; }
case_every_size_2_rails() { every_size 2; }
case_every_size_4_rails() { [ "$VM_RAILS" -ge 4 ] || skip "fewer than 4 rails"; every_size 4; }
case_64_MiB() { perf --verify-every --rails 2 --sizes 64M --in-flight 1 --messages 1 --bandwidth; }
case_many_in_flight() { perf --verify-every --rails 2 --sizes 8,32K --in-flight 32 --messages 200 --bandwidth; }
# The passes that are timed: numbers in messages, buffers used again.
case_timed() { perf --rails 1,2 --sizes 4K,64K --seconds 1 --pings 100; }
