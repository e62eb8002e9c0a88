// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/tables.h"

#include <algorithm>
#include <tuple>

namespace polyrail::cli {
namespace {

constexpr uint64_t kWidestNodeGap = 4;

bool same(const Choice& a, const Choice& b) {
  return a.algorithm == b.algorithm && a.protocol == b.protocol && a.channels == b.channels &&
         a.chunkBytes == b.chunkBytes;
}

std::optional<TimeModel> between(const std::optional<TimeModel>& a, const std::optional<TimeModel>& b) {
  if (!a || !b) return std::nullopt;
  return TimeModel{(a->baseUs + b->baseUs) / 2, (a->usPerMib + b->usPerMib) / 2};
}

// The choices both rules have, in the order of the first.
std::vector<Choice> common(const Rule& a, const Rule& b) {
  std::vector<Choice> choices;
  for (const Choice& mine : a.choices)
    for (const Choice& other : b.choices)
      if (same(mine, other)) {
        choices.push_back(mine);
        choices.back().time = between(mine.time, other.time);
      }
  return choices;
}

std::vector<Rule> agreed(const std::vector<Rule>& a, const std::vector<Rule>& b) {
  std::vector<Rule> rules;
  for (const Rule& x : a)
    for (const Rule& y : b) {
      const uint64_t from = std::max(x.from, y.from), to = std::min(x.to, y.to);
      if (from >= to || !same(x.choices[0], y.choices[0])) continue;
      Rule rule = x.evidence->gainLow <= y.evidence->gainLow ? x : y;
      rule.from = from;
      rule.to = to;
      rule.choices = common(x, y);
      rules.push_back(std::move(rule));
    }
  return rules;
}

std::optional<int> smaller(const std::optional<int>& a, const std::optional<int>& b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

// Where the logs do not say how large the pool is, the channels that were measured are known to be in it.
std::optional<int> poolOf(const DecidedSweep& s) {
  std::optional<int> pool = s.pool;
  if (pool) return pool;
  for (const Rule& rule : s.rules)
    for (const Choice& choice : rule.choices)
      if (choice.channels) pool = std::max(pool.value_or(0), *choice.channels);
  return pool;
}

Table table(const DecidedSweep& s, Range nodes, std::vector<Rule> rules) {
  return {s.collective, {nodes, {s.ranksPerNode, s.ranksPerNode}, {}, {}}, poolOf(s), std::move(rules)};
}

}  // namespace

std::vector<Table> buildTables(std::vector<DecidedSweep> sweeps) {
  const auto line = [](const DecidedSweep& s) { return std::tie(s.collective, s.ranksPerNode, s.nodes); };
  std::sort(sweeps.begin(), sweeps.end(),
            [&](const DecidedSweep& a, const DecidedSweep& b) { return line(a) < line(b); });
  std::vector<Table> tables;
  for (size_t i = 0; i < sweeps.size(); i++) {
    const DecidedSweep& s = sweeps[i];
    if (!s.rules.empty()) tables.push_back(table(s, {s.nodes, s.nodes}, s.rules));
    if (i + 1 == sweeps.size()) break;
    const DecidedSweep& next = sweeps[i + 1];
    const bool neighbours = s.collective == next.collective && s.ranksPerNode == next.ranksPerNode &&
                            next.nodes > s.nodes + 1 && next.nodes <= kWidestNodeGap * s.nodes;
    if (!neighbours) continue;
    std::vector<Rule> rules = agreed(s.rules, next.rules);
    if (rules.empty()) continue;
    tables.push_back(table(s, {s.nodes + 1, next.nodes - 1}, std::move(rules)));
    tables.back().maxChannels = smaller(poolOf(s), poolOf(next));
  }
  return tables;
}

}  // namespace polyrail::cli
