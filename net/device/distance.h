// SPDX-License-Identifier: Apache-2.0
// How far apart two NICs are, for fusion where NCCL cannot ask: from hwloc when its library is on the node, else from
// the real paths below /sys, which name every PCI bridge on the way. Plain value once made; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/device/port.h"
#include "net/settings.h"

namespace polyrail::net {

struct Locality {
  std::string source;                          // "hwloc" or "sysfs"
  std::vector<std::vector<Distance>> between;  // by index into the ports
};

// Two ports of one card: kPort. Below one PCI switch: kPix; of several: kPxb; one NUMA node: kPhb; else kSys.
Distance pciDistance(const Port& a, const Port& b);
Locality findLocality(const std::vector<Port>& ports, const SysRoot& root);

}  // namespace polyrail::net
