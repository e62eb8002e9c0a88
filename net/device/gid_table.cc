// SPDX-License-Identifier: Apache-2.0
#include "net/device/gid_table.h"

#include <net/if.h>

#include <algorithm>
#include <charconv>

namespace polyrail::net {
namespace {

// "fe80:0000:...", eight groups of four hex digits: always in full in /sys.
std::optional<Gid> parseSysfsGid(const std::string& text) {
  Gid gid{};
  if (text.size() != 39) return std::nullopt;
  for (size_t i = 0; i < 8; i++) {
    uint16_t group = 0;
    const char* from = text.data() + 5 * i;
    const auto [rest, error] = std::from_chars(from, from + 4, group, 16);
    if (error != std::errc() || rest != from + 4 || (i < 7 && *rest != ':')) return std::nullopt;
    gid[2 * i] = static_cast<uint8_t>(group >> 8);
    gid[2 * i + 1] = static_cast<uint8_t>(group);
  }
  return gid;
}

// The kernel writes "IB/RoCE v1" for both of those; the link layer tells them apart.
GidType typeOf(const std::optional<std::string>& text, LinkLayer link) {
  if (link == LinkLayer::kInfiniBand) return GidType::kInfiniBand;
  if (!text) return GidType::kUnknown;
  if (*text == "RoCE v2") return GidType::kRoceV2;
  return text->find("RoCE v1") != std::string::npos ? GidType::kRoceV1 : GidType::kUnknown;
}

GidType typeOf(uint32_t verbsType) {
  constexpr GidType kTypes[] = {GidType::kInfiniBand, GidType::kRoceV1, GidType::kRoceV2};  // ibv_gid_type
  return verbsType < std::size(kTypes) ? kTypes[verbsType] : GidType::kUnknown;
}

std::optional<int> indexOf(const std::string& name) {
  int index = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, index);
  return error == std::errc() && rest == end && index >= 0 ? std::optional(index) : std::nullopt;
}

Gid bytesOf(const ibv_gid& gid) {
  Gid bytes;
  std::copy(std::begin(gid.raw), std::end(gid.raw), bytes.begin());
  return bytes;
}

GidEntry fromVerbs(const ibv_gid_entry& e) {
  GidEntry entry{static_cast<int>(e.gid_index), bytesOf(e.gid), typeOf(e.gid_type), "", true};
  char name[IF_NAMESIZE] = "";
  if (e.ndev_ifindex == 0) return entry;
  entry.netdevVisible = ::if_indextoname(e.ndev_ifindex, name) != nullptr;
  entry.netdev = name;
  return entry;
}

}  // namespace

std::vector<GidEntry> readGidTable(const SysRoot& root, const std::string& device, int port, LinkLayer link) {
  const std::string base = "/sys/class/infiniband/" + device + "/ports/" + std::to_string(port);
  std::vector<GidEntry> table;
  for (const std::string& name : root.list(base + "/gids")) {
    const std::optional<int> index = indexOf(name);
    const std::optional<std::string> text = root.read(base + "/gids/" + name);
    const std::optional<Gid> gid = text ? parseSysfsGid(*text) : std::nullopt;
    if (!index || !gid || isZero(*gid)) continue;
    GidEntry entry{*index, *gid, typeOf(root.read(base + "/gid_attrs/types/" + name), link), "", true};
    entry.netdev = root.read(base + "/gid_attrs/ndevs/" + name).value_or("");
    if (!entry.netdev.empty()) entry.netdevVisible = root.exists("/sys/class/net/" + entry.netdev);
    table.push_back(std::move(entry));
  }
  std::sort(table.begin(), table.end(), [](const GidEntry& a, const GidEntry& b) { return a.index < b.index; });
  return table;
}

std::vector<GidEntry> queryGidTable(const Verbs& verbs, ibv_context* context, uint8_t port, int length) {
  std::vector<GidEntry> table;
  for (int i = 0; i < length; i++) {
    ibv_gid_entry e{};
    if (verbs.queryGidEx) {
      if (verbs.queryGidEx(context, port, static_cast<uint32_t>(i), &e, 0, sizeof e) != 0) continue;
      table.push_back(fromVerbs(e));
    } else if (verbs.queryGid(context, port, i, &e.gid) == 0) {
      table.push_back({i, bytesOf(e.gid), GidType::kUnknown, "", true});
    }
  }
  std::erase_if(table, [](const GidEntry& e) { return isZero(e.gid); });
  return table;
}

GidWish wishFor(const DeviceSettings& settings, const std::string& device, int port) {
  GidWish wish = settings.gid;
  for (const GidOverride& o : settings.gidOverrides)
    if (o.device == device && (o.port < 0 || o.port == port)) wish.fixedIndex = o.index.value_or(-1);
  return wish;
}

Result<GidChoice> chooseGidNow(const Verbs& verbs, ibv_context* context, const SysRoot& root, const Port& port,
                               const DeviceSettings& settings) {
  std::vector<GidEntry> table = readGidTable(root, port.device, port.number, port.link);
  ibv_port_attr attributes;
  if (table.empty() && context && queryPort(verbs, context, port.number, &attributes) == 0)
    table = queryGidTable(verbs, context, port.number, attributes.gid_tbl_len);
  Result<GidChoice> choice = chooseGid(port.link, table, wishFor(settings, port.device, port.number));
  if (choice.ok()) return choice;
  return Status::error(port.name() + ": " + choice.message());
}

}  // namespace polyrail::net
