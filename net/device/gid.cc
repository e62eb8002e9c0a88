// SPDX-License-Identifier: Apache-2.0
#include "net/device/gid.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>

namespace polyrail::net {
namespace {

constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr uint8_t kMappedMulticast[12] = {0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool zeroFrom(const Gid& gid, size_t first) {
  return std::all_of(gid.begin() + static_cast<std::ptrdiff_t>(first), gid.end(), [](uint8_t b) { return b == 0; });
}

const char* versionName(GidType type) {
  switch (type) {
    case GidType::kRoceV1: return "RoCE v1";
    case GidType::kRoceV2: return "RoCE v2";
    case GidType::kInfiniBand: return "IB";
    case GidType::kUnknown: break;
  }
  return "type unknown";
}

bool hasVersion(const GidEntry& e, int version) {
  return e.type == (version == 1 ? GidType::kRoceV1 : GidType::kRoceV2);
}

std::string describe(const GidEntry& e) {
  std::string words =
      std::string(versionName(e.type)) + (familyOf(e.gid) == AddressFamily::kIpv4 ? ", IPv4" : ", IPv6");
  if (isLinkLocal(e.gid)) words += " link-local";
  if (!e.netdev.empty()) words += " of " + e.netdev;
  if (!e.netdevVisible) words += ", which is not in this network namespace";
  return words;
}

// Larger is better; index last, negated, so that the lowest wins among equals.
auto rank(const GidEntry& e, const GidWish& wish) {
  const bool inRange = !wish.range || wish.range->contains(e.gid);
  return std::make_tuple(e.netdevVisible, inRange, !isLinkLocal(e.gid), familyOf(e.gid) == wish.family,
                         hasVersion(e, wish.roceVersion), -e.index);
}

const GidEntry* find(const std::vector<GidEntry>& table, int index) {
  for (const GidEntry& e : table)
    if (e.index == index) return &e;
  return nullptr;
}

GidChoice take(const GidEntry& e, std::string why) { return {e.index, e.gid, e.type, std::move(why), {}}; }

// The FLID sits in bytes 4 and 5 of a routable InfiniBand GID.
bool carriesFlid(const GidEntry& e) { return e.gid[4] != 0 || e.gid[5] != 0; }

Result<GidChoice> chooseInfiniBand(const std::vector<GidEntry>& table, const GidWish& wish) {
  const GidEntry* routable = find(table, wish.routableFlidIndex);
  if (routable && carriesFlid(*routable)) return take(*routable, "InfiniBand, carries a routable FLID");
  const GidEntry* first = find(table, 0);
  if (!first) return Status::error("the port's GID table has no index 0: the port was never brought up");
  return take(*first, "InfiniBand, index 0");
}

Result<GidChoice> chooseFixed(const std::vector<GidEntry>& table, int index) {
  const GidEntry* e = find(table, index);
  if (!e || isZero(e->gid))
    return Status::error("GID index " + std::to_string(index) +
                         " was asked for and is empty; unset NCCL_IB_GID_INDEX to choose by port");
  return take(*e, "asked for: " + describe(*e));
}

std::vector<GidEntry> usable(const std::vector<GidEntry>& table) {
  std::vector<GidEntry> entries;
  for (const GidEntry& e : table)
    if (!isZero(e.gid)) entries.push_back(e);
  return entries;
}

}  // namespace

AddressFamily familyOf(const Gid& gid) {
  const bool mapped = std::memcmp(gid.data(), kMapped, sizeof kMapped) == 0 ||
                      std::memcmp(gid.data(), kMappedMulticast, sizeof kMappedMulticast) == 0;
  return mapped ? AddressFamily::kIpv4 : AddressFamily::kIpv6;
}

bool isZero(const Gid& gid) { return zeroFrom(gid, 0) || (gid[0] == 0xfe && gid[1] == 0x80 && zeroFrom(gid, 2)); }

bool isLinkLocal(const Gid& gid) {
  return gid[0] == 0xfe && gid[1] == 0x80 &&
         std::all_of(gid.begin() + 2, gid.begin() + 8, [](uint8_t b) { return b == 0; });
}

std::string text(const Gid& gid) {
  char buffer[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, gid.data(), buffer, sizeof buffer);
  return buffer;
}

bool AddressRange::contains(const Gid& gid) const {
  const size_t whole = static_cast<size_t>(bits) / 8;
  if (std::memcmp(prefix.data(), gid.data(), whole) != 0) return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const uint8_t mask = static_cast<uint8_t>(0xff << (8 - rest));
  return (prefix[whole] & mask) == (gid[whole] & mask);
}

Result<AddressRange> parseAddressRange(const std::string& range, AddressFamily family) {
  const size_t slash = range.find('/');
  const std::string address = range.substr(0, slash);
  const int most = family == AddressFamily::kIpv4 ? 32 : 128;
  int bits = most;
  if (slash != std::string::npos) {
    const char* end = range.data() + range.size();
    const auto [rest, error] = std::from_chars(range.data() + slash + 1, end, bits);
    if (error != std::errc() || rest != end || bits < 0 || bits > most)
      return Status::error(range + ": the prefix length must be a whole number from 0 to " + std::to_string(most));
  }
  AddressRange parsed;
  const bool v4 = family == AddressFamily::kIpv4;
  if (v4) std::memcpy(parsed.prefix.data(), kMapped, sizeof kMapped);
  if (inet_pton(v4 ? AF_INET : AF_INET6, address.c_str(), parsed.prefix.data() + (v4 ? 12 : 0)) != 1)
    return Status::error(range + ": not an " + (v4 ? "IPv4" : "IPv6") +
                         " address; NCCL_IB_ADDR_FAMILY says which family is meant");
  parsed.bits = bits + (v4 ? 96 : 0);
  return parsed;
}

Result<GidChoice> chooseGid(LinkLayer link, const std::vector<GidEntry>& table, const GidWish& wish) {
  if (link == LinkLayer::kInfiniBand) return chooseInfiniBand(table, wish);
  if (wish.fixedIndex >= 0) return chooseFixed(table, wish.fixedIndex);
  std::vector<GidEntry> entries = usable(table);
  if (entries.empty()) return Status::error("the port's GID table is empty: its interface has no address");
  std::sort(entries.begin(), entries.end(),
            [&](const GidEntry& a, const GidEntry& b) { return rank(a, wish) > rank(b, wish); });
  const GidEntry& best = entries.front();
  if (wish.range && !wish.range->contains(best.gid))
    return Status::error("no usable GID of the port lies in NCCL_IB_ADDR_RANGE; the best is " + text(best.gid));
  if (!best.netdevVisible)
    return Status::error("every GID of the port belongs to an interface outside this network namespace");
  GidChoice choice = take(best, describe(best));
  for (const GidEntry& e : entries)
    if (e.index < best.index) choice.rejected.push_back("index " + std::to_string(e.index) + ": " + describe(e));
  return choice;
}

}  // namespace polyrail::net
