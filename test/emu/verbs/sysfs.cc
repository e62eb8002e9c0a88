// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/sysfs.h"

#include <cstdio>

namespace polyrail::emu {
namespace {

std::string hexGroups(const uint8_t* bytes, int count) {
  std::string out;
  char part[8];
  for (int i = 0; i < count; i += 2) {
    std::snprintf(part, sizeof part, "%s%02x%02x", i ? ":" : "", bytes[i], bytes[i + 1]);
    out += part;
  }
  return out;
}

std::string guidText(uint64_t guid) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = static_cast<uint8_t>(guid >> (56 - 8 * i));
  return hexGroups(bytes, 8);
}

const char* typeText(ibv_gid_type type) { return type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" : "IB/RoCE v1"; }

std::string rateText(const PortSpec& spec) {
  const int64_t rate = spec.speed ? spec.speed : spec.rate;
  return std::to_string(rate / 1'000'000'000) + " Gb/sec (4X)";
}

void portFiles(const Port& port, std::map<std::string, std::string>* files) {
  const std::string base = "ports/" + std::to_string(port.number) + "/";
  auto& f = *files;
  f[base + "state"] = port.active() ? "4: ACTIVE" : "1: DOWN";
  f[base + "phys_state"] = port.active() ? "5: LinkUp" : "3: Disabled";
  f[base + "link_layer"] = port.spec->ethernet ? "Ethernet" : "InfiniBand";
  f[base + "rate"] = rateText(*port.spec);
  char lid[16];
  for (size_t i = 0; i < port.spec->pkeys.size(); i++) {
    std::snprintf(lid, sizeof lid, "0x%04x", port.spec->pkeys[i]);
    f[base + "pkeys/" + std::to_string(i)] = lid;
  }
  std::snprintf(lid, sizeof lid, "0x%x", port.spec->lid);
  f[base + "lid"] = lid;
  for (size_t i = 0; i < port.gids.size(); i++) {
    const std::string index = std::to_string(i);
    const bool valid = port.gids[i].valid;
    f[base + "gids/" + index] = hexGroups(valid ? port.gids[i].spec.gid.raw : ibv_gid{}.raw, 16);
    if (!valid) continue;  // the kernel's files of an empty entry cannot be read
    f[base + "gid_attrs/types/" + index] = typeText(port.gids[i].spec.type);
    if (port.spec->ethernet) f[base + "gid_attrs/ndevs/" + index] = port.gids[i].spec.ndev;
  }
  f[base + "counters/port_xmit_data"] = std::to_string(port.sentBytes / 4);
  f[base + "counters/port_rcv_data"] = std::to_string(port.receivedBytes / 4);
  f[base + "counters/link_downed"] = std::to_string(port.linkDowns);
  f[base + "hw_counters/local_ack_timeout_err"] = std::to_string(port.ackTimeouts);
}

}  // namespace

std::map<std::string, std::string> sysfsOf(const Device& device) {
  const NicSpec& nic = *device.spec;
  std::map<std::string, std::string> files = {{"fw_ver", nic.firmware},
                                              {"board_id", nic.board},
                                              {"hca_type", "MT" + std::to_string(nic.partId)},
                                              {"node_type", "1: CA"},
                                              {"node_guid", guidText(nic.guid)},
                                              {"sys_image_guid", guidText(nic.guid)},
                                              {"device/numa_node", std::to_string(nic.numa)}};
  char id[16];
  std::snprintf(id, sizeof id, "0x%04x", nic.vendorId == 0x02c9 ? 0x15b3 : nic.vendorId);
  files["device/vendor"] = id;
  std::snprintf(id, sizeof id, "0x%04x", nic.partId);
  files["device/device"] = id;
  for (const Port* port : device.ports) portFiles(*port, &files);
  return files;
}

std::optional<std::string> readSysfs(const World& world, int host, const std::string& path) {
  for (const auto& device : world.devices()) {
    const std::string base = std::string(device->face.ibdev_path) + "/";
    if (device->host != host || !path.starts_with(base)) continue;
    const auto files = sysfsOf(*device);
    const auto it = files.find(path.substr(base.size()));
    if (it != files.end()) return it->second + "\n";
  }
  if (path == "/sys/class/infiniband_verbs/abi_version") return "6\n";
  return std::nullopt;
}

}  // namespace polyrail::emu
