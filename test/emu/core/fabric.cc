// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/fabric.h"

#include <arpa/inet.h>

#include <cstdio>
#include <cstring>

namespace polyrail::emu {
namespace {

template <typename... Args>
std::string format(const char* pattern, Args... args) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

ibv_gid gidFrom(uint64_t prefix, uint64_t id) {
  ibv_gid gid;
  gid.global.subnet_prefix = htobe64(prefix);
  gid.global.interface_id = htobe64(id);
  return gid;
}

void completeGids(PortSpec* port, uint64_t portGuid, uint32_t types) {
  if (!port->gids.empty()) return;
  if (!port->ethernet) {
    port->gids = {{gidFrom(0xfe80000000000000u, portGuid), IBV_GID_TYPE_IB, ""}};
    return;
  }
  ibv_gid mapped{};
  const std::string host = port->address.substr(0, port->address.find('/'));
  if (!parseGid(host, &mapped)) mapped = ibv_gid{};
  for (const ibv_gid& gid : {gidFrom(0xfe80000000000000u, portGuid), mapped}) {
    if (gid.global.subnet_prefix == 0 && gid.global.interface_id == 0) continue;
    if (types & 1) port->gids.push_back({gid, IBV_GID_TYPE_ROCE_V1, port->ndev});
    if (types & 2) port->gids.push_back({gid, IBV_GID_TYPE_ROCE_V2, port->ndev});
  }
}

void completeNic(Fabric* fabric, size_t h, size_t n) {
  NicSpec& nic = fabric->hosts[h].nics[n];
  if (nic.name.empty()) nic.name = format("emu%zu", n);
  if (nic.pci.empty()) nic.pci = format("0000:%02zx:00.0", 0x17 + n * 0x10);
  if (nic.guid == 0) nic.guid = 0x0200'00ff'fe00'0000u + (h + 1) * 0x10000 + (n + 1) * 0x100;
  for (size_t p = 0; p < nic.ports.size(); p++) {
    PortSpec& port = nic.ports[p];
    const size_t rail = n * 4 + p;  // four ports a NIC at most get addresses of their own
    if (port.ethernet && port.ndev.empty()) port.ndev = format("%se%zu", nic.name.c_str(), p);
    if (port.ethernet && port.address.empty())
      port.address = format("10.%zu.%zu.%zu/24", 77 + h / 250, rail, h % 250 + 1);
    if (!port.ethernet && port.lid == 0) port.lid = static_cast<uint16_t>(1 + h * 64 + rail);
    completeGids(&port, nic.guid + p + 1, fabric->profile->gidTypes);
  }
}

}  // namespace

bool parseGid(const std::string& text, ibv_gid* gid) {
  if (inet_pton(AF_INET6, text.c_str(), gid->raw) == 1) return true;
  return inet_pton(AF_INET6, ("::ffff:" + text).c_str(), gid->raw) == 1;
}

void completeFabric(Fabric* fabric) {
  for (size_t h = 0; h < fabric->hosts.size(); h++) {
    if (fabric->hosts[h].name.empty()) fabric->hosts[h].name = format("host%zu", h);
    for (size_t n = 0; n < fabric->hosts[h].nics.size(); n++) completeNic(fabric, h, n);
  }
}

Fabric defaultFabric() {
  Fabric fabric;
  for (const char* name : {"a", "b"}) fabric.hosts.push_back({name, std::vector<NicSpec>(2)});
  for (HostSpec& host : fabric.hosts)
    for (NicSpec& nic : host.nics) nic.ports.resize(1);
  completeFabric(&fabric);
  return fabric;
}

}  // namespace polyrail::emu
