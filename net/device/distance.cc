// SPDX-License-Identifier: Apache-2.0
#include "net/device/distance.h"

#include <algorithm>

#include "net/device/pci.h"

namespace polyrail::net {

namespace {

// Counted as NCCL counts it (src/graph/xml.h and topo.cc, 2.30.7): two devices below the same bridge are PIX, with
// more bridges between them PXB, and a path that goes through the CPU PHB, or SYS from one NUMA node to another.
Distance between(const std::vector<std::string>& one, const std::vector<std::string>& two, bool sameNode,
                 bool nodeKnown) {
  size_t shared = 0;
  while (shared < one.size() && shared < two.size() && one[shared] == two[shared]) shared++;
  if (shared >= 2) {  // the host bridge and at least one PCI bridge
    const size_t steps = std::max(one.size(), two.size()) - shared;
    return steps <= 2 ? Distance::kPix : Distance::kPxb;
  }
  return sameNode && (nodeKnown || shared == 1) ? Distance::kPhb : Distance::kSys;
}

template <typename Between>
Locality allPairs(std::string source, const std::vector<Port>& ports, Between&& one) {
  Locality found{std::move(source), {}};
  for (const Port& a : ports) {
    std::vector<Distance>& row = found.between.emplace_back();
    for (const Port& b : ports) row.push_back(&a == &b ? Distance::kSelf : one(a, b));
  }
  return found;
}

const PciPlace* placeIn(const HwlocAnswer& hwloc, const Port& port) {
  const auto it = hwloc.places.find(port.pciPath.substr(port.pciPath.rfind('/') + 1));
  return it == hwloc.places.end() ? nullptr : &it->second;
}

}  // namespace

Distance pciDistance(const Port& a, const Port& b) {
  if (a.pciPath.empty() || b.pciPath.empty()) return a.device == b.device ? Distance::kPort : Distance::kSys;
  if (a.pciPath == b.pciPath) return Distance::kPort;
  return between(pciChain(a.pciPath), pciChain(b.pciPath), a.numaNode == b.numaNode, a.numaNode >= 0);
}

std::optional<Locality> localityFrom(const HwlocAnswer& hwloc, const std::vector<Port>& ports) {
  for (const Port& p : ports)
    if (!placeIn(hwloc, p)) return std::nullopt;
  return allPairs(hwloc.version, ports, [&](const Port& a, const Port& b) {
    if (a.pciPath == b.pciPath) return Distance::kPort;
    const PciPlace &one = *placeIn(hwloc, a), &two = *placeIn(hwloc, b);
    return between(one.chain, two.chain, one.processors == two.processors, !one.whole || hwloc.nodes == 1);
  });
}

Locality sysfsLocality(const std::vector<Port>& ports) { return allPairs("sysfs", ports, pciDistance); }

Locality findLocality(const std::vector<Port>& ports, const SysRoot& root) {
  Locality found = sysfsLocality(ports);
  const bool severalCards =
      std::any_of(ports.begin(), ports.end(), [&](const Port& p) { return p.pciPath != ports[0].pciPath; });
  if (!root.isLive() || !severalCards) return found;
  const HwlocAnswer hwloc = askHwloc();
  if (std::optional<Locality> better = hwloc.absent.empty() ? localityFrom(hwloc, ports) : std::nullopt)
    return *std::move(better);
  found.source += ", for " + (hwloc.absent.empty() ? hwloc.version + " does not know all NICs" : hwloc.absent);
  return found;
}

}  // namespace polyrail::net
