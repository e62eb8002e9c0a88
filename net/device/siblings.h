// SPDX-License-Identifier: Apache-2.0
// Which NICs of the node may stand in for those of a device that all failed, or help a slow one. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "net/device/distance.h"
#include "net/device/port.h"

namespace polyrail::net {

// Ports that speak the link layer of `own` and are none of its cables, the nearest first, then in NCCL's order from
// the last of `own` on and round, so that two devices do not begin with one sibling. At most `most`. REQUIRES: `own`,
// not empty, and `locality` index `ports`.
std::vector<int> siblingsOf(std::span<const int> own, const std::vector<Port>& ports, const Locality& locality,
                            size_t most);

}  // namespace polyrail::net
