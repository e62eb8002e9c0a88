// SPDX-License-Identifier: Apache-2.0
// How far apart two NICs are, for fusion where NCCL cannot ask: from hwloc when its library is on the node, else from
// the real paths below /sys, which name every PCI bridge on the way. Plain value once made; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/device/hwloc.h"
#include "net/device/port.h"
#include "net/settings.h"

namespace polyrail::net {

struct Locality {
  std::string source;                          // "hwloc 2.9", "sysfs", "sysfs, for ..."
  std::vector<std::vector<Distance>> between;  // by index into the ports
};

// Two ports of one card: kPort. Below one PCI switch: kPix; of several: kPxb; one NUMA node: kPhb; else kSys.
Distance pciDistance(const Port& a, const Port& b);
// The same from what hwloc said. Nothing when it does not know a port's device.
std::optional<Locality> localityFrom(const HwlocAnswer& hwloc, const std::vector<Port>& ports);

// Asks hwloc on the machine itself only, and only where there is more than one card.
Locality findLocality(const std::vector<Port>& ports, const SysRoot& root);
// From /sys alone.
Locality sysfsLocality(const std::vector<Port>& ports);

}  // namespace polyrail::net
