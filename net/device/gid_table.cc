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

std::string portFolder(const std::string& device, int port) {
  return "/sys/class/infiniband/" + device + "/ports/" + std::to_string(port);
}

// What /sys knows better than verbs: the type, which old libraries do not tell, and the name of an interface that
// this network namespace does not have.
void addFromSysfs(const SysRoot& root, const std::string& folder, LinkLayer link, GidEntry* entry) {
  const std::string attributes = folder + "/gid_attrs/", name = std::to_string(entry->index);
  if (const auto type = root.read(attributes + "types/" + name)) entry->type = typeOf(type, link);
  const std::optional<std::string> netdev = root.read(attributes + "ndevs/" + name);
  if (!netdev || netdev->empty()) return;
  entry->netdev = *netdev;
  entry->netdevVisible = root.exists("/sys/class/net/" + *netdev);
}

// The entries in use, of all ports, by one call of the kernel; empty where library or driver cannot. Its answer does
// not say how many there would be.
std::vector<ibv_gid_entry> listGids(const Verbs& verbs, ibv_context* context) {
  constexpr size_t kFirstRoom = 128, kMostRoom = 1 << 14;
  for (size_t room = kFirstRoom; verbs.queryGidTable && context && room <= kMostRoom; room *= 4) {
    std::vector<ibv_gid_entry> entries(room);
    const ssize_t count = verbs.queryGidTable(context, entries.data(), room, 0, sizeof entries[0]);
    if (count == -EINVAL) continue;
    entries.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return entries;
  }
  return {};
}

}  // namespace

std::vector<GidEntry> readGidTable(const SysRoot& root, const std::string& device, int port, LinkLayer link) {
  const std::string folder = portFolder(device, port);
  std::vector<GidEntry> table;
  for (const std::string& name : root.list(folder + "/gids")) {
    const std::optional<int> index = indexOf(name);
    const std::optional<std::string> text = root.read(folder + "/gids/" + name);
    const std::optional<Gid> gid = text ? parseSysfsGid(*text) : std::nullopt;
    if (!index || !gid || isZero(*gid)) continue;
    addFromSysfs(root, folder, link,
                 &table.emplace_back(GidEntry{*index, *gid, typeOf(std::nullopt, link), "", true}));
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

std::vector<GidEntry> currentGids(const Verbs& verbs, ibv_context* context, const SysRoot& root, const GidPlace& at) {
  std::vector<GidEntry> table;
  for (const ibv_gid_entry& e : listGids(verbs, context))
    if (static_cast<int>(e.port_num) == at.port && !isZero(bytesOf(e.gid)))
      addFromSysfs(root, portFolder(at.device, at.port), at.link, &table.emplace_back(fromVerbs(e)));
  if (table.empty()) table = readGidTable(root, at.device, at.port, at.link);
  ibv_port_attr attributes;
  if (table.empty() && context && queryPort(verbs, context, static_cast<uint8_t>(at.port), &attributes) == 0)
    table = queryGidTable(verbs, context, static_cast<uint8_t>(at.port), attributes.gid_tbl_len);
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
  const std::vector<GidEntry> table = currentGids(verbs, context, root, {port.device, port.number, port.link});
  Result<GidChoice> choice = chooseGid(port.link, table, wishFor(settings, port.device, port.number));
  if (choice.ok()) return choice;
  return Status::error(port.name() + ": " + choice.message());
}

}  // namespace polyrail::net
