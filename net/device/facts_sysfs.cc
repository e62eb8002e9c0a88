// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "common/text/decimal.h"
#include "net/device/facts.h"
#include "net/device/gid_table.h"

namespace polyrail::net {
namespace {

constexpr char kClass[] = "/sys/class/infiniband/";

// "4: ACTIVE" is number and word.
std::string word(const std::optional<std::string>& text) {
  const size_t colon = text ? text->find(": ") : std::string::npos;
  return colon == std::string::npos ? "" : text->substr(colon + 2);
}

// "0002:c903:00a1:b2c0"
uint64_t guidOf(const std::optional<std::string>& text) {
  uint64_t guid = 0;
  for (const char c : text.value_or("")) {
    if (c == ':') continue;
    uint8_t digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc()) return 0;
    guid = guid << 4 | digit;
  }
  return guid;
}

// "100 Gb/sec (4X EDR)"; SDR says 2.5.
uint32_t speedOf(const std::optional<std::string>& text) {
  double gbps = 0;
  if (text) gbps = leadingDecimal(*text);
  if (gbps <= 0 || gbps >= 1e6) return 0;
  // It is positive, and lround would make the plugin need libm. NOLINTNEXTLINE(bugprone-incorrect-roundings)
  return static_cast<uint32_t>(gbps * 1000 + 0.5);
}

std::optional<LinkLayer> linkOf(const std::optional<std::string>& text) {
  if (text == "Ethernet") return LinkLayer::kEthernet;
  if (text == "InfiniBand") return LinkLayer::kInfiniBand;
  return std::nullopt;
}

}  // namespace

bool peermemLoaded(const SysRoot& root) {
  for (const char* path : {"/sys/module/nvidia_peermem/version", "/sys/kernel/mm/memory_peers/nv_mem/version",
                           "/sys/kernel/mm/memory_peers/nv_mem_nc/version"})
    if (root.exists(path)) return true;
  return false;
}

void readDeviceFiles(const SysRoot& root, DeviceFacts* device) {
  const std::string base = kClass + device->name;
  device->realPath = root.realPath(base + "/device").value_or("");
  device->cardPath = root.realPath(base + "/device/physfn").value_or("");
  device->netdevs = root.list(base + "/device/net");
  const std::optional<std::string> numa = root.read(base + "/device/numa_node");
  if (numa) std::from_chars(numa->data(), numa->data() + numa->size(), device->numaNode);
  device->gpuDirect.peermem = peermemLoaded(root);
}

PortFacts readPortFiles(const SysRoot& root, const std::string& device, int number) {
  const std::string base = kClass + device + "/ports/" + std::to_string(number);
  PortFacts port;
  port.number = number;
  port.state = word(root.read(base + "/state"));
  port.active = port.state == "ACTIVE";
  if (const std::string physical = word(root.read(base + "/phys_state")); !physical.empty())
    port.state += ", " + physical;
  port.link = linkOf(root.read(base + "/link_layer"));
  port.lid = static_cast<uint16_t>(root.readNumber(base + "/lid").value_or(0));
  port.speedMbps = speedOf(root.read(base + "/rate"));
  port.pkeys = readPkeyTable(root, device, number);
  return port;
}

namespace {

PortFacts readPort(const SysRoot& root, const std::string& device, int number) {
  PortFacts port = readPortFiles(root, device, number);
  if (port.link) port.gids = readGidTable(root, device, number, *port.link);
  return port;
}

}  // namespace

std::vector<DeviceFacts> factsFromSysfs(const SysRoot& root, const DeviceSettings&) {
  std::vector<DeviceFacts> devices;
  for (const std::string& name : root.list("/sys/class/infiniband")) {
    DeviceFacts device;
    device.name = name;
    readDeviceFiles(root, &device);
    device.guid = guidOf(root.read(kClass + name + "/sys_image_guid"));
    for (const std::string& number : root.list(kClass + name + "/ports")) {
      int n = 0;
      if (std::from_chars(number.data(), number.data() + number.size(), n).ec == std::errc() && n > 0)
        device.ports.push_back(readPort(root, name, n));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace polyrail::net
