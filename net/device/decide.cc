// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "net/device/bond.h"
#include "net/device/enumerate.h"
#include "net/device/facts.h"
#include "net/device/gid_table.h"
#include "net/device/pci.h"

namespace polyrail::net {
namespace {

uint64_t leadingBits(const Gid& gid, int bits) {
  uint64_t value = 0;
  const int whole = std::clamp(bits, 0, 64);
  for (int i = 0; i < whole; i++) {
    const auto bit = static_cast<uint64_t>(gid[static_cast<size_t>(i) / 8] >> (7 - i % 8) & 1);
    value |= bit << (63 - i);
  }
  return value;
}

// An IPv4 address sits in the last 32 bits of its GID: shift it to the front, its kind beside it.
uint64_t subnetOf(LinkLayer link, const Gid& gid, int prefixBits) {
  if (link == LinkLayer::kInfiniBand) return leadingBits(gid, 64);
  if (familyOf(gid) != AddressFamily::kIpv4)
    return leadingBits(gid, std::min(prefixBits == 24 ? 64 : prefixBits, 64));
  Gid front{};
  std::copy(gid.begin() + 12, gid.end(), front.begin());
  return leadingBits(front, std::min(prefixBits, 32)) | 0xffff;
}

std::string gpuDirectWhy(const GpuDirect& g, const DeviceSettings& s) {
  if (g.dmaBuf) return g.peermem ? "DMA-BUF, peermem where that fails" : "DMA-BUF";
  if (g.peermem) return s.dmaBuf ? "peermem, for the driver has no DMA-BUF" : "peermem, as asked";
  return s.peermem ? "none: the driver has no DMA-BUF and nvidia_peermem is not loaded" : "none, as asked";
}

GpuDirect gpuDirect(const DeviceFacts& device, const DeviceSettings& s) {
  GpuDirect g = device.gpuDirect;
  g.dmaBuf = g.dmaBuf && s.dmaBuf;
  g.peermem = g.peermem && s.peermem;
  g.why = gpuDirectWhy(g, s);
  return g;
}

std::string netdevOf(const DeviceFacts& device, const PortFacts& facts, const GidChoice& choice) {
  for (const GidEntry& e : facts.gids)
    if (e.index == choice.index && !e.netdev.empty()) return e.netdev;
  return device.netdevs.empty() ? "" : device.netdevs[0];
}

void addNotes(const SysRoot& root, const DeviceFacts& device, Port* port) {
  constexpr uint16_t kDefaultPartition = 0x7fff;  // of every port, limited or full (IBTA 1.6, 10.9.1)
  if (port->pkey.value && (port->pkey.value & kDefaultPartition) != kDefaultPartition)
    port->notes.push_back("partition key " + text(port->pkey));
  if (port->bond && port->bond->members.size() > 1)
    port->notes.push_back("bond " + port->bond->name + " of " + std::to_string(port->bond->members.size()) +
                          " interfaces: each queue pair uses one of them, so several are made");
  if (!device.dataDirectProblem.empty()) port->notes.push_back(device.dataDirectProblem);
  if (const auto slow = slowLink(root, device.realPath)) port->notes.push_back("its PCIe link runs at " + *slow);
  if (port->link == LinkLayer::kEthernet && port->mtu > 0 && port->mtu < 5)
    port->notes.push_back("MTU " + std::to_string(128u << port->mtu) +
                          "; an interface MTU of 4200 or more gives 4096");
}

Port usable(const SysRoot& root, const DeviceFacts& device, const PortFacts& facts, GidChoice choice, PkeyChoice pkey,
            const DeviceSettings& settings) {
  Port port;
  port.device = device.name;
  port.number = static_cast<uint8_t>(facts.number);
  port.guid = device.guid;
  port.link = *facts.link;
  port.lid = facts.lid;
  port.gid = std::move(choice);
  port.pkey = pkey;
  port.subnetPrefix = subnetOf(port.link, port.gid.gid, settings.subnetPrefixBits);
  const HcaPattern* named = settings.hca.exclude ? nullptr : settings.hca.match(device.name, facts.number);
  if (named) port.rail = named->rail, port.plane = named->plane;
  port.speedMbps = facts.speedMbps;
  port.mtu = facts.mtu;
  port.maxMessage = facts.maxMessage;
  port.limits = device.limits;
  port.pciPath = cardPath(root, device.realPath, device.cardPath, settings.mergeVfs);
  if (pciNumber(device.realPath)) port.pciAddress = device.realPath.substr(device.realPath.rfind('/') + 1);
  port.numaNode = device.numaNode;
  port.gpuDirect = gpuDirect(device, settings);
  port.relaxedOrdering = device.relaxedOrdering && settings.relaxedOrdering != 0;
  port.adaptiveRouting =
      settings.adaptiveRouting == -2 ? port.link == LinkLayer::kInfiniBand : settings.adaptiveRouting == 1;
  if (port.link == LinkLayer::kEthernet) {
    port.netdev = netdevOf(device, facts, port.gid);
    port.bond = findBond(root, port.netdev);
  }
  addNotes(root, device, &port);
  return port;
}

// The same port by the card's second way to the GPU: its place is that function's.
Port dataDirect(const DeviceFacts& device, Port port) {
  port.dataDirect = true;
  port.pciPath = device.dataDirectPath;
  port.numaNode = device.dataDirectNode;
  port.notes.push_back("GPU memory by its data-direct interface");
  return port;
}

// A port, or why not. The user's filter comes first: what he left out needs no remedy.
std::optional<RefusedPort> refusal(const DeviceFacts& device, const PortFacts& p, const DeviceSettings& settings) {
  const std::string name = device.name + ":" + std::to_string(p.number);
  if (!settings.hca.allows(device.name, p.number))
    return RefusedPort{name, "NCCL_IB_HCA=" + settings.hcaText + " leaves it out", ""};
  if (!p.problem.empty()) return RefusedPort{name, p.problem, "look at dmesg"};
  if (!p.active) return RefusedPort{name, "it is " + p.state, "bring its link up, or leave it out with NCCL_IB_HCA"};
  if (!p.link) return RefusedPort{name, "it is neither InfiniBand nor RoCE", ""};
  return std::nullopt;
}

void consider(const SysRoot& root, const DeviceFacts& device, const PortFacts& p, const DeviceSettings& settings,
              Enumeration* out) {
  if (std::optional<RefusedPort> no = refusal(device, p, settings)) {
    out->refused.push_back(*std::move(no));
    return;
  }
  Result<GidChoice> choice = chooseGid(*p.link, p.gids, wishFor(settings, device.name, p.number));
  if (!choice.ok()) {
    out->refused.push_back({device.name + ":" + std::to_string(p.number), choice.message(),
                            *p.link == LinkLayer::kEthernet ? "give its interface an address" : ""});
    return;
  }
  const Result<PkeyChoice> pkey = choosePkey(p.pkeys, settings.pkey);
  if (!pkey.ok()) {
    out->refused.push_back(
        {device.name + ":" + std::to_string(p.number), pkey.message(), pkeyRemedy(*p.link, settings.pkey)});
    return;
  }
  Port port = usable(root, device, p, std::move(choice).value(), pkey.value(), settings);
  if (device.dataDirectPath.empty()) return out->ports.push_back(std::move(port));
  if (settings.dataDirect == 2) out->ports.push_back(port);
  out->ports.push_back(dataDirect(device, std::move(port)));
}

bool earlier(const Port& a, const Port& b) {
  const auto place = [](const Port& p) { return pciNumber(p.pciAddress).value_or(UINT64_MAX); };
  return place(a) < place(b);
}

// The verbs port number is 1 on nearly every card, so NCCL tells the ports of a card apart by counting.
void numberPorts(std::vector<Port>* ports) {
  for (size_t i = 0; i < ports->size(); i++)
    for (size_t j = 0; j < i; j++)
      if (!(*ports)[i].pciPath.empty() && (*ports)[i].pciPath == (*ports)[j].pciPath) (*ports)[i].realPort++;
}

void warnOfUnknownNames(const std::vector<DeviceFacts>& devices, const HcaFilter& hca, Enumeration* out) {
  if (hca.exclude) return;  // a list of what to leave out serves nodes of several kinds
  for (const HcaPattern& pattern : hca.patterns) {
    HcaFilter one;
    one.exact = hca.exact;
    one.patterns = {pattern};
    const auto named = [&](const DeviceFacts& d) {
      return std::any_of(d.ports.begin(), d.ports.end(),
                         [&](const PortFacts& p) { return one.allows(d.name, p.number); });
    };
    if (std::none_of(devices.begin(), devices.end(), named))
      out->warnings.push_back("NCCL_IB_HCA names " + pattern.device +
                              (pattern.port ? ":" + std::to_string(*pattern.port) : "") +
                              ", which is not on this node");
  }
}

}  // namespace

Enumeration decidePorts(const std::vector<DeviceFacts>& devices, const SysRoot& root,
                        const DeviceSettings& settings) {
  Enumeration out;
  for (const DeviceFacts& device : devices) {
    if (!device.problem.empty()) out.refused.push_back({device.name, device.problem, device.remedy});
    for (const PortFacts& port : device.ports) consider(root, device, port, settings, &out);
  }
  if (settings.pciOrder) std::stable_sort(out.ports.begin(), out.ports.end(), earlier);
  for (size_t i = kMaxPorts; i < out.ports.size(); i++)
    out.refused.push_back(
        {out.ports[i].name(), "it is beyond the 32 ports that are used", "name those to use in NCCL_IB_HCA"});
  if (out.ports.size() > kMaxPorts) out.ports.resize(kMaxPorts);
  numberPorts(&out.ports);
  warnOfUnknownNames(devices, settings.hca, &out);
  return out;
}

RailInfo railInfo(const Port& port) {
  RailInfo info;
  info.guid = port.guid;
  info.gid = port.gid.gid;
  info.lid = port.lid;
  info.link = port.link;
  info.mtu = port.mtu;
  info.speedMbps = port.speedMbps;
  info.rail = static_cast<int16_t>(port.rail);
  info.plane = static_cast<int16_t>(port.plane);
  info.name = port.name();
  return info;
}

}  // namespace polyrail::net
