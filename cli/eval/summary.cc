// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "cli/learn/statistics.h"
#include "cli/output/units.h"

namespace polyrail::cli {
namespace {

template <typename Key>
std::vector<EvalGroup> grouped(const std::vector<EvalCell>& cells, Key key, std::string (*name)(const EvalCell&)) {
  std::map<decltype(key(cells[0])), EvalGroup> groups;
  for (const EvalCell& cell : cells) {
    EvalGroup& group = groups[key(cell)];
    group.name = name(cell);
    group.cells.push_back(cell);
  }
  std::vector<EvalGroup> all;
  for (auto& [ignored, group] : groups) all.push_back(std::move(group));
  return all;
}

uint64_t nearestPower(const EvalCell& cell) {
  return uint64_t{1} << std::min(63L, std::lround(std::log2(static_cast<double>(cell.size))));
}

}  // namespace

Spread spreadOf(std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return {};
  Spread s{values.size(), 0, 0, *std::max_element(values.begin(), values.end())};
  for (double v : values) s.mean += v / static_cast<double>(values.size());
  s.p95 = quantile(values, 0.95);
  return s;
}

EvalSummary summarise(const std::vector<EvalCell>& cells) {
  EvalSummary s;
  std::vector<double> policy, byDefault;
  double logs = 0;
  for (const EvalCell& cell : cells) {
    s.cells++;
    s.covered += cell.covered;
    s.unmeasured += cell.covered && std::isnan(cell.policyUs);
    if (std::isnan(cell.policyUs) || std::isnan(cell.defaultUs)) continue;
    policy.push_back(cell.regret());
    byDefault.push_back(cell.defaultRegret());
    logs += std::log1p(cell.overDefault());
    s.worstOverDefault = std::max(s.worstOverDefault, cell.overDefault());
  }
  if (!policy.empty()) s.saved = 1 - std::exp(logs / static_cast<double>(policy.size()));
  s.policy = spreadOf(std::move(policy));
  s.byDefault = spreadOf(std::move(byDefault));
  return s;
}

std::vector<EvalGroup> byLayout(const std::vector<EvalCell>& cells) {
  return grouped(
      cells, [](const EvalCell& c) { return std::tuple(c.collective, c.nodes, c.ranks); },
      +[](const EvalCell& c) {
        return fmt::format("{} {} ranks, {} nodes", nccl::name(c.collective), c.ranks, c.nodes);
      });
}

std::vector<EvalGroup> bySize(const std::vector<EvalCell>& cells) {
  return grouped(
      cells, nearestPower, +[](const EvalCell& c) { return humanBytes(nearestPower(c)); });
}

}  // namespace polyrail::cli
