// SPDX-License-Identifier: Apache-2.0
// Which rails of the two ends get a path: the receiver decides when it has seen the sender's rails. Pure function.
#pragma once

#include <span>
#include <vector>

#include "net/path/path_set.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct PairingRules {
  int subnetBits = 24;  // of an IPv4 GID (NCCL_IB_SUBNET_PREFIX_LEN); 64 of any other
  int queuePairs = 1;   // paths for each pair of rails (NCCL_IB_QPS_PER_CONNECTION)
  unsigned first = 0;   // rotates the plan, so that not every comm's grants take the first rail
};

// Every rail of both ends is on at least one path: pairs are made of rails that are likest (subnet and plane, then
// rail number, then place in the list), each rail of the longer list once, those of the shorter as evenly as can be.
// At most kMaxCommPaths. REQUIRES: 1..kMaxRails rails each. Rails of different link layers never pair; the error
// says which end has a rail without a partner.
Result<std::vector<PathPlan>> pairRails(std::span<const RailInfo> senders, std::span<const RailInfo> receivers,
                                        const PairingRules& rules);

}  // namespace polyrail::net
