// SPDX-License-Identifier: Apache-2.0
#include "net/device/distance.h"

#include "net/device/pci.h"

namespace polyrail::net {

// Counted as NCCL counts it (src/graph/xml.h and topo.cc, 2.30.7): two devices below the same bridge are PIX, with
// more bridges between them PXB, and a path that goes through the CPU PHB, or SYS from one NUMA node to another.
Distance pciDistance(const Port& a, const Port& b) {
  if (a.pciPath.empty() || b.pciPath.empty()) return a.device == b.device ? Distance::kPort : Distance::kSys;
  if (a.pciPath == b.pciPath) return Distance::kPort;
  const std::vector<std::string> one = pciChain(a.pciPath), two = pciChain(b.pciPath);
  size_t shared = 0;
  while (shared < one.size() && shared < two.size() && one[shared] == two[shared]) shared++;
  if (shared >= 2) {  // the host bridge and at least one PCI bridge
    const size_t steps = std::max(one.size(), two.size()) - shared;
    return steps <= 2 ? Distance::kPix : Distance::kPxb;
  }
  return a.numaNode == b.numaNode && (a.numaNode >= 0 || shared == 1) ? Distance::kPhb : Distance::kSys;
}

Locality findLocality(const std::vector<Port>& ports, const SysRoot&) {
  Locality found{"sysfs", {}};
  for (const Port& a : ports) {
    std::vector<Distance>& row = found.between.emplace_back();
    for (const Port& b : ports) row.push_back(&a == &b ? Distance::kSelf : pciDistance(a, b));
  }
  return found;
}

}  // namespace polyrail::net
