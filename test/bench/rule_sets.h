// SPDX-License-Identifier: Apache-2.0
// Policies of N rules that all fit one communicator, and calls that hit them, for measuring the decision.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "common/policy/policy.h"

namespace polyrail::test {

// How the boundaries of the rules lie.
enum class Placing {
  kLog,      // evenly on a log scale from 64 B to 64 GiB, as a learner would place them
  kLinear,   // every 1 MiB
  kOctave,   // all at random places between 1 and 2 GiB
  kCluster,  // 1 byte apart
};

// The N + 1 edges of N neighbouring rules.
inline std::vector<uint64_t> edges(size_t rules, Placing placing) {
  std::mt19937_64 random(rules);
  std::vector<uint64_t> at;
  for (size_t i = 0; i <= rules; i++) {
    const double part = static_cast<double>(i) / static_cast<double>(rules);
    if (placing == Placing::kLog) at.push_back(static_cast<uint64_t>(std::exp2(6 + 30 * part)) + i);
    if (placing == Placing::kLinear) at.push_back(i << 20);
    if (placing == Placing::kOctave) at.push_back((uint64_t{1} << 30) + random() % (uint64_t{1} << 30));
    if (placing == Placing::kCluster) at.push_back((uint64_t{1} << 30) + i);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

// AllReduce with one choice a rule, and a prediction, so that every hit does all the work there is.
inline Policy policyOf(const std::vector<uint64_t>& edges) {
  Policy policy;
  Table table;
  for (size_t i = 0; i + 1 < edges.size(); i++) {
    Rule rule;
    rule.from = edges[i];
    rule.to = edges[i + 1];
    const auto algorithm = i % 2 ? nccl::Algorithm::kTree : nccl::Algorithm::kRing;
    const auto protocol = static_cast<nccl::Protocol>(i % 3);
    const TimeModel time{20 + static_cast<double>(i % 50), 0.5};
    rule.choices.push_back({algorithm, protocol, 1 + static_cast<int>(i % 32), std::nullopt, time});
    table.rules.push_back(std::move(rule));
  }
  policy.tables.push_back(std::move(table));
  return policy;
}

// Sizes that hit: a random rule, a random size in it.
inline std::vector<uint64_t> sizesIn(const std::vector<uint64_t>& edges, size_t count) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> sizes(count);
  for (uint64_t& size : sizes) {
    const size_t rule = random() % (edges.size() - 1);
    size = edges[rule] + random() % (edges[rule + 1] - edges[rule]);
  }
  return sizes;
}

// NCCL's table for an AllReduce on two nodes: Tree and Ring in all protocols, NVLSTree, the rest not allowed.
inline constexpr float kCosts[7][3] = {{42, 61, 55}, {48, 66, 71}, {-1, -1, -1}, {-1, -1, -1},
                                       {-1, -1, -1}, {-1, -1, 59}, {-1, -1, -1}};

}  // namespace polyrail::test
