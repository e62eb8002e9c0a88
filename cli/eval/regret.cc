// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/regret.h"

#include <cmath>

#include "cli/learn/statistics.h"
#include "tuner/snapshot.h"

namespace polyrail::cli {
namespace {

constexpr int kNewestAbi = 6;

std::optional<Arm> armOf(const CompiledChoice& c) {
  Arm arm{static_cast<nccl::Algorithm>(c.algorithm), static_cast<nccl::Protocol>(c.protocol), {}};
  if (c.channels) arm.channels = c.channels;
  return arm;
}

double timeOf(const Sweep& sweep, const std::optional<Arm>& arm, size_t size) {
  for (const Series& series : sweep.series)
    if (series.arm == arm) return typicalUs(series, size);
  return kNoTime;
}

void findBest(const Sweep& sweep, size_t size, EvalCell& cell, size_t& measured) {
  cell.bestUs = kNoTime;
  for (const Series& series : sweep.series) {
    const double us = typicalUs(series, size);
    if (std::isnan(us)) continue;
    measured++;
    if (!(us >= cell.bestUs)) cell.bestUs = us, cell.best = series.arm;
  }
}

}  // namespace

Result<std::vector<EvalCell>> evaluate(const Policy& policy, const Sweep& sweep) {
  const Result<Snapshot> snapshot = Snapshot::compile(policy, {sweep.ranks, sweep.nodes, {}, kNewestAbi});
  if (!snapshot.ok()) return snapshot.status();
  std::vector<EvalCell> cells;
  for (size_t s = 0; s < sweep.sizes.size(); s++) {
    EvalCell cell;
    cell.collective = sweep.collective, cell.ranks = sweep.ranks, cell.nodes = sweep.nodes;
    cell.size = sweep.sizes[s];
    size_t measured = 0;
    findBest(sweep, s, cell, measured);
    if (measured < 2) continue;
    cell.defaultUs = cell.policyUs = timeOf(sweep, std::nullopt, s);
    const auto choices = snapshot.value().find({static_cast<int>(sweep.collective), sweep.totalBytes(s)});
    if (!choices.empty()) {
      cell.covered = true;
      cell.chosen = armOf(choices[0]);
      cell.policyUs = timeOf(sweep, cell.chosen, s);
      const bool same = cell.chosen == sweep.defaultChoice[s];
      if (std::isnan(cell.policyUs) && same) cell.policyUs = cell.defaultUs;
    }
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace polyrail::cli
