// SPDX-License-Identifier: Apache-2.0
// Which rails of two nodes belong together, and in which order pairs that have no path are tried when paths are lost.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "net/path/path_set.h"
#include "net/wire/message.h"

namespace polyrail::net {

// Of rails that never pair: their link layers differ.
inline constexpr int kNeverAlike = 1 << 20;

// How unlike two rails are: subnet first, then plane, then rail number, last their places in the two lists.
// `subnetBits`: of an IPv4 GID (NCCL_IB_SUBNET_PREFIX_LEN); 64 of any other.
int unlikeness(const RailInfo& a, const RailInfo& b, size_t placeA, size_t placeB, int subnetBits);

struct RailList {  // of one end
  std::span<const RailInfo> rails;
  size_t own = 0;  // the first so many; the others are siblings'
};

// Every pair that could have a path, best first: the comm's own rails, then pairs of siblings' rails from the likest
// to the least like; of two alike, the one that touches no rail of the comm, because that has failed at one of the
// ends and nobody knows at which. `turn` says which of the likest begins, so that not all comms take one sibling.
std::vector<PathPlan> detourOrder(const RailList& senders, const RailList& receivers, int subnetBits, uint32_t turn);

}  // namespace polyrail::net
