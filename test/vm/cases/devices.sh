# SPDX-License-Identifier: Apache-2.0
# Which rails the plugin finds on kernel RoCE, and what it does when their addresses and sizes change.

case_enumeration() {
  local all; all=$(jq -nc "[\"rxa\", \"rxb\"] | map(. as \$side | range($VM_RAILS) | \$side + tostring)")
  rails "names == $all and (port(\"rxa0\") | .link == \"RoCE\" and .mtu == 4096)" "not $all, or not as RoCE"
  NCCL_IB_HCA='=rxa1:1' rails 'names == ["rxa1"]' "an exact port"
  NCCL_IB_HCA=^rxa rails "names == ($all | map(select(startswith(\"rxb\"))))" "all but some"
}

case_gid_choice() {
  rails 'port("rxa1").gid | .index == 1 and .address == "::ffff:10.77.1.1"' "not the mapped IPv4 address"
  NCCL_IB_GID_INDEX=0 rails 'port("rxa1").gid.address | startswith("fe80::")' "an index that was set"
  POLYRAIL_GID_INDEX=rxa1=0 rails 'port("rxa0").gid.index == 1 and port("rxa1").gid.index == 0' "an index set for one"
  ip addr add fd00:77::1/64 dev a1 nodad
  rails 'port("rxa1").gid.index == 1' "IPv4 comes first"
  NCCL_IB_ADDR_FAMILY=AF_INET6 rails 'port("rxa1").gid.address == "fd00:77::1"' "the family that was asked for"
  NCCL_IB_ADDR_RANGE=fd00:77::/32 NCCL_IB_ADDR_FAMILY=AF_INET6 rails 'port("rxa1").gid.address == "fd00:77::1"' "the range"
  ip addr del fd00:77::1/64 dev a1
}

# The address goes and comes back at another index while the plugin is in use on another rail; its next connection must
# speak from where it is now. The process stands still meanwhile: the next connection cannot come too early.
case_gid_moves() {
  LOAD_SECONDS=4 under_load rxa1 --rails '#1,#0' --sizes 64K
  kill -STOP "$load"
  ip addr del 10.77.0.1/24 dev a0
  ip addr add 10.77.0.9/24 dev a0
  ip addr add 10.77.0.1/24 dev a0
  rxe-rails
  grep -q 0a4d:0001 /sys/class/infiniband/rxa0/ports/1/gids/1 && fail "the address did not move"
  kill -CONT "$load"
  flows_over rxa0
  end_load
  ip addr del 10.77.0.9/24 dev a0
}

case_mtu_mismatch() {
  ip link set a0 mtu 1500
  rails 'port("rxa0").mtu == 1024' "not what rxe says"
  perf --rails 1 --sizes 8,4097,1M --messages 10 --pings 20
}

# Fused with one that differs.
case_mtu_of_one_rail() {
  ip link set b1 mtu 1500
  perf --rails 2 --sizes 1M --messages 20
}
