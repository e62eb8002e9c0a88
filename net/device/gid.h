// SPDX-License-Identifier: Apache-2.0
// Which entry of a port's GID table a connection uses, as a pure function of the table and of what the user wants,
// with the reason. Tables are sparse, grow and shrink while a job runs, and in a container hold entries of other
// network namespaces; so the choice is made per port and again for every new connection. Plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::net {

enum class LinkLayer { kInfiniBand, kEthernet };
enum class GidType { kUnknown, kInfiniBand, kRoceV1, kRoceV2 };
enum class AddressFamily { kIpv4, kIpv6 };

using Gid = std::array<uint8_t, 16>;  // network byte order

// IPv4 when the GID is an IPv4-mapped address (::ffff:a.b.c.d, or its multicast form), else IPv6.
AddressFamily familyOf(const Gid& gid);
bool isZero(const Gid& gid);       // all zero, or fe80:: with an empty interface id: a table slot nobody filled
bool isLinkLocal(const Gid& gid);  // fe80::/64
std::string text(const Gid& gid);  // as `show_gids` and inet_ntop write it

struct GidEntry {
  int index = 0;
  Gid gid{};
  GidType type = GidType::kUnknown;
  std::string netdev;         // gid_attrs/ndevs; empty when it could not be read
  bool netdevVisible = true;  // the interface is in this network namespace
};

struct AddressRange {
  Gid prefix{};  // an IPv4 address in its mapped form
  int bits = 0;  // within the 128 of the GID
  bool contains(const Gid& gid) const;
};

// What the user wants; defaults are NCCL's (facts of src/transport/net_ib/connect.cc, 2.30.7).
struct GidWish {
  int fixedIndex = -1;                          // NCCL_IB_GID_INDEX, or the override for this device
  int routableFlidIndex = 1;                    // NCCL_IB_ROUTABLE_FLID_GID_INDEX, InfiniBand only
  int roceVersion = 2;                          // NCCL_IB_ROCE_VERSION_NUM
  AddressFamily family = AddressFamily::kIpv4;  // NCCL_IB_ADDR_FAMILY
  std::optional<AddressRange> range;            // NCCL_IB_ADDR_RANGE
};

// "10.0.0.0/8", "fd00::/8". The error says what is wrong with it.
Result<AddressRange> parseAddressRange(const std::string& text, AddressFamily family);

struct GidChoice {
  int index = 0;
  Gid gid{};
  GidType type = GidType::kUnknown;
  std::string why;                    // one clause: "RoCE v2, IPv4, of eth2"
  std::vector<std::string> rejected;  // one a candidate that was better placed or asked for: "index 1: RoCE v1, ..."
};

// InfiniBand: the fixed index does not apply (as in NCCL); the routable-FLID entry when it carries one, else index 0.
// Ethernet: the fixed index when set; else the best entry by, in this order: interface in this namespace, not
// link-local, inside the range, family, RoCE version; among equals the lowest index. A range that no entry meets is
// an error; a version or family that no entry has is not, the next best is taken and said.
Result<GidChoice> chooseGid(LinkLayer link, const std::vector<GidEntry>& table, const GidWish& wish);

}  // namespace polyrail::net
