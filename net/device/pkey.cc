// SPDX-License-Identifier: Apache-2.0
#include "net/device/pkey.h"

#include <endian.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace polyrail::net {
namespace {

constexpr uint16_t kFullMember = 0x8000;
constexpr size_t kShown = 8;  // entries of a table in a message

bool samePartition(uint16_t a, uint16_t b) { return ((a ^ b) & ~kFullMember & 0xffff) == 0; }

std::string hex(unsigned value) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", value & 0xffff);
  return text;
}

std::string shown(const std::vector<PkeyEntry>& table) {
  if (table.empty()) return "that cannot be read";
  std::string text;
  for (size_t i = 0; i < std::min(table.size(), kShown); i++)
    text += (i ? ", " : "") + std::to_string(table[i].index) + ": " + hex(table[i].value);
  return text + (table.size() > kShown ? ", ..." : "");
}

}  // namespace

std::vector<PkeyEntry> readPkeyTable(const SysRoot& root, const std::string& device, int port) {
  const std::string base = "/sys/class/infiniband/" + device + "/ports/" + std::to_string(port) + "/pkeys";
  std::vector<PkeyEntry> table;
  for (const std::string& name : root.list(base)) {
    PkeyEntry entry;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data(), end, entry.index).ptr != end) continue;
    entry.value = static_cast<uint16_t>(root.readNumber(base + "/" + name).value_or(0));
    if (entry.value) table.push_back(entry);
  }
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return table;
}

std::vector<PkeyEntry> queryPkeyTable(const Verbs& verbs, ibv_context* context, uint8_t port, int length) {
  std::vector<PkeyEntry> table;
  for (int i = 0; verbs.queryPkey && i < length; i++) {
    __be16 value = 0;
    if (verbs.queryPkey(context, port, i, &value) == 0 && value) table.push_back({i, be16toh(value)});
  }
  return table;
}

Result<PkeyChoice> choosePkey(const std::vector<PkeyEntry>& table, const PkeyWish& wish) {
  const PkeyEntry* best = nullptr;
  for (const PkeyEntry& e : table) {
    const bool fits =
        wish.value < 0 ? e.index == wish.index : samePartition(e.value, static_cast<uint16_t>(wish.value));
    if (fits && (!best || (e.value & kFullMember) > (best->value & kFullMember))) best = &e;
  }
  if (best) return PkeyChoice{static_cast<uint16_t>(best->index), best->value};
  if (wish.value < 0 && table.empty()) return PkeyChoice{static_cast<uint16_t>(wish.index), 0};
  const std::string what =
      wish.value < 0 ? "partition key index " + std::to_string(wish.index) + " was asked for and is empty in"
                     : "partition key " + hex(static_cast<unsigned>(wish.value)) + " is not in";
  return Status::error(what + " its table (" + shown(table) + ")");
}

std::string text(const PkeyChoice& choice) { return hex(choice.value) + " at index " + std::to_string(choice.index); }

std::string pkeyRemedy(LinkLayer link, const PkeyWish& wish) {
  const std::string name = wish.value < 0 ? "NCCL_IB_PKEY" : "NCCL_IB_PKEY_VALUE";
  if (link == LinkLayer::kEthernet) return "RoCE ports have no partitions; unset " + name;
  return "add the port to the partition in the subnet manager (partitions.conf, UFM), or correct " + name;
}

}  // namespace polyrail::net
