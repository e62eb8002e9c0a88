// SPDX-License-Identifier: Apache-2.0
#include "net/path/likeness.h"

#include <algorithm>

namespace polyrail::net {
namespace {

bool sameBits(const Gid& a, const Gid& b, int bits) {
  const size_t bytes = static_cast<size_t>(bits) / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(bytes), b.begin())) return false;
  const int rest = bits % 8;
  return rest == 0 || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

bool sameSubnet(const RailInfo& a, const RailInfo& b, int ipv4Bits) {
  constexpr int kMappedPrefix = 96;
  const bool ipv4 = a.link == LinkLayer::kEthernet && familyOf(a.gid) == AddressFamily::kIpv4;
  return sameBits(a.gid, b.gid, ipv4 ? kMappedPrefix + std::clamp(ipv4Bits, 0, 32) : 64);
}

size_t placeOf(size_t index, size_t own) { return index < own ? index : index - own; }

constexpr int kSiblings = 10'000;  // behind every pair of own rails

struct Candidate {
  int weight;
  PathPlan rails;
};

}  // namespace

int unlikeness(const RailInfo& a, const RailInfo& b, size_t placeA, size_t placeB, int subnetBits) {
  if (a.link != b.link) return kNeverAlike;
  int d = 0;
  if (!sameSubnet(a, b, subnetBits)) d += 400;
  if (a.plane != b.plane && a.plane >= 0 && b.plane >= 0) d += 200;
  if (a.rail != b.rail && a.rail >= 0 && b.rail >= 0) d += 100;
  return d + 2 * static_cast<int>(placeA > placeB ? placeA - placeB : placeB - placeA);
}

std::vector<PathPlan> detourOrder(const RailList& senders, const RailList& receivers, int subnetBits, uint32_t turn) {
  std::vector<Candidate> all;
  for (size_t r = 0; r < receivers.rails.size(); r++)
    for (size_t s = 0; s < senders.rails.size(); s++) {
      const int unlike = unlikeness(senders.rails[s], receivers.rails[r], placeOf(s, senders.own),
                                    placeOf(r, receivers.own), subnetBits);
      if (unlike >= kNeverAlike) continue;
      const bool ownSender = s < senders.own, ownReceiver = r < receivers.own;
      const int weight = ownSender && ownReceiver ? 0 : kSiblings + unlike + (ownSender || ownReceiver ? 1 : 0);
      all.push_back({weight, {static_cast<uint8_t>(s), static_cast<uint8_t>(r)}});
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.weight < b.weight; });
  const auto siblings = std::find_if(all.begin(), all.end(), [](const auto& c) { return c.weight > 0; });
  const auto later = std::find_if(siblings, all.end(), [&](const auto& c) { return c.weight != siblings->weight; });
  if (siblings != later) std::rotate(siblings, siblings + turn % (later - siblings), later);
  std::vector<PathPlan> order;
  for (const Candidate& c : all) order.push_back(c.rails);
  return order;
}

}  // namespace polyrail::net
