# SPDX-License-Identifier: Apache-2.0
# Which rails the plugin finds on kernel RoCE, and what it does when their addresses and sizes change.

names() { polyrail rails --json | jq -r '[.ports[].device] | sort | join(" ")'; }

case_enumeration() {
  local a b; a=$(printf 'rxa%s ' $(seq 0 $((VM_RAILS - 1)))) b=${a//rxa/rxb}
  [ "$(names) " = "$a$b" ] || fail "found $(names), not $a$b"
  [ "$(NCCL_IB_HCA='=rxa1:1' names)" = rxa1 ] || fail "an exact port"
  [ "$(NCCL_IB_HCA=^rxa names) " = "$b" ] || fail "all but some"
  [ "$(port rxa0 .link)" = RoCE ] && [ "$(port rxa0 .mtu)" = 4096 ] || fail "what a port says"
}

case_gid_choice() {
  [ "$(port rxa1 .gid.index)" = 1 ] || fail "not the mapped IPv4 address"
  [ "$(port rxa1 .gid.address)" = ::ffff:10.77.1.1 ] || fail "$(port rxa1 .gid.address)"
  [ "$(NCCL_IB_GID_INDEX=0 port rxa1 .gid.address | cut -c1-6)" = fe80:: ] || fail "an index that was set"
  [ "$(POLYRAIL_GID_INDEX=rxa1=0 port rxa0 .gid.index)" = 1 ] || fail "an index set for another"
  ip addr add fd00:77::1/64 dev a1 nodad
  [ "$(NCCL_IB_ADDR_FAMILY=AF_INET6 port rxa1 .gid.address)" = fd00:77::1 ] || fail "the family that was asked for"
  [ "$(NCCL_IB_ADDR_RANGE=fd00:77::/32 NCCL_IB_ADDR_FAMILY=AF_INET6 port rxa1 .gid.address)" = fd00:77::1 ] || fail "the range"
  [ "$(port rxa1 .gid.index)" = 1 ] || fail "IPv4 comes first"
  ip addr del fd00:77::1/64 dev a1
}

# The address goes and comes back at another index while the plugin is in use on another rail; the next connection
# must speak from where it is now.
case_gid_moves() {
  under_load rxa1 --rails '#1,#0' --sizes 64K --seconds 6
  ip addr del 10.77.0.1/24 dev a0
  ip addr add 10.77.0.9/24 dev a0
  ip addr add 10.77.0.1/24 dev a0
  rxe-rails
  grep -q 0a4d:0001 /sys/class/infiniband/rxa0/ports/1/gids/1 && fail "the address did not move"
  load_status || fail "status $?"
  ip addr del 10.77.0.9/24 dev a0
}

case_mtu_mismatch() {
  ip link set a0 mtu 1500
  [ "$(port rxa0 .mtu)" = 1024 ] || fail "rxe says $(port rxa0 .mtu)"
  perf --rails 1 --sizes 8,4097,1M --messages 10 --pings 20
}

# Fused with one that differs.
case_mtu_of_one_rail() {
  ip link set b1 mtu 1500
  perf --rails 2 --sizes 1M --messages 20
}
