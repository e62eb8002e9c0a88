// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/learn.h"

#include "cli/learn/tables.h"

namespace polyrail::cli {

Learned learn(const std::vector<Sweep>& sweeps, const LearnOptions& options,
              const std::function<void(size_t done)>& progress) {
  Learned result;
  std::vector<DecidedSweep> decided;
  for (const Sweep& sweep : sweeps) {
    DecidedSweep d{sweep.collective, sweep.nodes, sweep.ranksPerNode(), sweep.pool, {}};
    for (Decision& decision : decide(sweep, options)) {
      if (decision.rule) d.rules.push_back(*decision.rule);
      result.decisions.push_back(std::move(decision));
    }
    decided.push_back(std::move(d));
    for (const Inversion& inversion : findInversions(sweep)) result.inversions.push_back(inversion);
    if (progress) progress(decided.size());
  }
  result.tables = buildTables(std::move(decided));
  return result;
}

}  // namespace polyrail::cli
