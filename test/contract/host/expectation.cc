// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polyrail::contract {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;
__extension__ using Wide = unsigned __int128;

constexpr float kGuardFactor = 500;  // design.md 2: NCCL keeps fp8 sums off Ring

bool within(const std::optional<Range>& range, int value) {
  return !range || (value >= 0 && range->contains(static_cast<uint64_t>(value)));
}

bool fits(const Layout& layout, int abi, const CommShape& s) {
  if (s.nodes == 0 || s.ranks % s.nodes != 0) return false;
  if (!layout.nodes.contains(s.nodes) || !layout.ranksPerNode.contains(s.ranks / s.nodes)) return false;
  if (abi < 5) return !layout.nvlDomains && !layout.ranksPerNvlDomain;
  return within(layout.nvlDomains, s.nvlDomains.nNvlDomains) &&
         within(layout.ranksPerNvlDomain, s.nvlDomains.minRanksPerNvlDomain) &&
         within(layout.ranksPerNvlDomain, s.nvlDomains.maxRanksPerNvlDomain);
}

bool holds(const Rule& rule, const Table& table, int abi, const CommShape& shape, const Call& call) {
  const Wide unit = nccl::keyedPerRank(table.collective) ? shape.ranks : 1;
  if (call.bytes < rule.from * unit) return false;
  if (rule.to != kNoLimit && call.bytes >= rule.to * unit) return false;
  if (!within(rule.pipeOps, call.pipeOps)) return false;
  return !rule.regBuff || (abi >= 4 && *rule.regBuff == call.regBuff);
}

struct Found {
  const Table* table = nullptr;
  const Rule* rule = nullptr;
};

Found findRule(const Policy& policy, int abi, const CommShape& shape, const Call& call) {
  for (const Table& table : policy.tables) {
    if (static_cast<int>(table.collective) != call.collective || !fits(table.layout, abi, shape)) continue;
    for (const Rule& rule : table.rules)
      if (holds(rule, table, abi, shape, call)) return {&table, &rule};
  }
  return {};
}

// ABI 2 shows no table: only what every communicator can run.
bool safeBlind(const Choice& c, Collective collective) {
  const bool tree = c.algorithm == Algorithm::kTree && collective == Collective::kAllReduce;
  return (tree || c.algorithm == Algorithm::kRing) && c.protocol != Protocol::kLl128;
}

bool allowed(const Choice& c, const CostTable& before) {
  const int a = static_cast<int>(c.algorithm);
  return a < before.algorithms() && before.allows(a, static_cast<int>(c.protocol));
}

bool guarded(const Choice& c, const CostTable& before) {
  if (c.algorithm != Algorithm::kRing) return false;
  float least = INFINITY;
  for (const float cost : before.entries())
    if (cost >= 0) least = std::min(least, cost);
  return before.at(static_cast<int>(c.algorithm), static_cast<int>(c.protocol)) > kGuardFactor * least;
}

int channelsOf(const Choice& c, const Table& table, const Options& options, int abi, const CommShape& shape) {
  const bool asCollNet = nccl::isCollNet(c.algorithm) || (c.algorithm == Algorithm::kNvls && shape.nodes > 1);
  if (!c.channels || asCollNet) return 0;  // NCCL would not clamp
  if (table.collective == Collective::kAllGather && abi >= 5 && !options.allGatherChannels) return 0;
  return std::min(*c.channels, table.maxChannels.value_or(nccl::kMaxChannels));
}

double predicted(const Choice& c, const Call& call, const CostTable& before) {
  if (!c.time) return before.at(static_cast<int>(c.algorithm), static_cast<int>(c.protocol));
  return c.time->baseUs + c.time->usPerMib * static_cast<double>(call.bytes) / (1 << 20);
}

// What NCCL takes, under both rules where there is a table.
std::vector<std::optional<nccl::Selection>> picks(const TunerHost& host, const Outcome& o) {
  if (host.release().newestAbi == 2) return {o.pick};
  return {pickFrom(nccl::SelectionRule::kUntil230, o.before, o.after),
          pickFrom(nccl::SelectionRule::kFrom231, o.before, o.after), o.pick};
}

}  // namespace

Expectation expectationOf(const Policy& policy, int abi, const CommShape& shape, const Call& call,
                          const CostTable& before) {
  const Found found = findRule(policy, abi, shape, call);
  if (!found.rule) return {};
  for (const Choice& c : found.rule->choices) {
    if (abi == 2 ? !safeBlind(c, found.table->collective) : !allowed(c, before)) continue;
    if (abi > 2 && guarded(c, before)) return {};
    return {&c, channelsOf(c, *found.table, policy.options, abi, shape)};
  }
  return {};
}

std::vector<std::string> departures(const Policy& policy, const TunerHost& host, const CommShape& shape,
                                    const Call& call, const Outcome& o) {
  const Expectation wanted = expectationOf(policy, host.abi(), shape, call, o.before);
  if (!wanted.choice) {
    if (o.untouched() && o.pick == o.ncclPick) return {};
    return {"no rule decides, yet something changed"};
  }
  std::vector<std::string> all;
  if (o.channelsAnswer != wanted.channels)
    all.push_back(fmt::format("{} channels, not {}", o.channelsAnswer, wanted.channels));
  if (host.abi() == 2 && !allowed(*wanted.choice, o.before)) return all;  // NCCL's shim drops the answer
  const int a = static_cast<int>(wanted.choice->algorithm), p = static_cast<int>(wanted.choice->protocol);
  for (const auto& pick : picks(host, o))
    if (!pick || pick->algorithm != a || pick->protocol != p)
      all.push_back(
          fmt::format("NCCL picks {}/{}, not {}/{}", pick ? pick->algorithm : -1, pick ? pick->protocol : -1, a, p));
  if (host.abi() == 2) return all;
  const double us = std::clamp(predicted(*wanted.choice, call, o.before), 1e-3, 1e30);
  if (o.pick && std::abs(o.pick->cost - us) > 1e-4 * us)
    all.push_back(fmt::format("the entry says {} us where {} us are predicted", o.pick->cost, us));
  return all;
}

}  // namespace polyrail::contract
