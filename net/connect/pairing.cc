// SPDX-License-Identifier: Apache-2.0
#include "net/connect/pairing.h"

#include <algorithm>

#include "net/path/likeness.h"

namespace polyrail::net {
namespace {

struct Candidate {
  int distance;
  size_t longer, shorter;  // places in the two lists
};

std::vector<Candidate> candidates(std::span<const RailInfo> longer, std::span<const RailInfo> shorter,
                                  const PairingRules& rules) {
  std::vector<Candidate> all;
  for (size_t l = 0; l < longer.size(); l++)
    for (size_t s = 0; s < shorter.size(); s++)
      // Places wrap round, so that rails 0 and 2 of four meet rail 0 of two.
      all.push_back({unlikeness(longer[l], shorter[s], l % shorter.size(), s, rules.subnetBits), l, s});
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  return all;
}

// partner[l]: the rail of the shorter list. In rounds: nobody gets a second path before all have one.
std::vector<int> match(const std::vector<Candidate>& all, size_t longer, size_t shorter) {
  std::vector<int> partner(longer, -1);
  std::vector<size_t> load(shorter, 0);
  for (size_t round = 0; round * shorter < longer; round++)
    for (const Candidate& c : all)
      if (c.distance < kNeverAlike && partner[c.longer] < 0 && load[c.shorter] == round) {
        partner[c.longer] = static_cast<int>(c.shorter);
        load[c.shorter]++;
      }
  return partner;
}

}  // namespace

Result<std::vector<PathPlan>> pairRails(std::span<const RailInfo> senders, std::span<const RailInfo> receivers,
                                        const PairingRules& rules) {
  const bool senderLonger = senders.size() >= receivers.size();
  const auto longer = senderLonger ? senders : receivers, shorter = senderLonger ? receivers : senders;
  const std::vector<int> partner = match(candidates(longer, shorter, rules), longer.size(), shorter.size());
  std::vector<PathPlan> plan;
  const size_t queuePairs = std::clamp<size_t>(static_cast<size_t>(std::max(rules.queuePairs, 1)), 1,
                                               std::max<size_t>(kMaxCommPaths / longer.size(), 1));
  for (size_t copy = 0; copy < queuePairs; copy++)
    for (size_t l = 0; l < longer.size(); l++) {
      if (partner[l] < 0)
        return Status::error(longer[l].name + " is " +
                             (longer[l].link == LinkLayer::kInfiniBand ? "InfiniBand" : "Ethernet") +
                             " and the other end has no rail of that kind; name NICs of one kind in NCCL_IB_HCA");
      const uint8_t a = static_cast<uint8_t>(l), b = static_cast<uint8_t>(partner[l]);
      plan.push_back(senderLonger ? PathPlan{a, b} : PathPlan{b, a});
    }
  std::rotate(plan.begin(), plan.begin() + rules.first % plan.size(), plan.end());
  return plan;
}

}  // namespace polyrail::net
