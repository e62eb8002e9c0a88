// SPDX-License-Identifier: Apache-2.0
// Which ports make one device where NCCL cannot ask (plugin ABI up to v8): first what NCCL_NET_FORCE_MERGE names,
// then the ports of one card, wider only when NCCL_NET_MERGE_LEVEL says so: unequal NICs that were fused unasked
// starve (NVIDIA/nccl issue 2310). Pure function; any thread.
#pragma once

#include <string>
#include <vector>

#include "net/device/distance.h"
#include "net/device/port.h"
#include "net/settings.h"

namespace polyrail::net {

struct FusedGroup {
  std::vector<int> ports;  // 1 to kMaxRails, of one link layer
  std::string why;         // empty for a port alone
};

struct FusionPlan {
  std::vector<FusedGroup> groups;  // every port in one of them, in the order of their first ports
  std::vector<std::string> problems;
};

FusionPlan planFusion(const std::vector<Port>& ports, const DeviceSettings& settings, const Locality& locality);

}  // namespace polyrail::net
