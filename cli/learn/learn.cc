// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/learn.h"

#include <mutex>

#include "cli/learn/parallel.h"
#include "cli/learn/tables.h"

namespace polyrail::cli {
namespace {

struct LearnedSweep {
  std::vector<Decision> decisions;
  std::vector<Inversion> inversions;
};

}  // namespace

Learned learn(const std::vector<Sweep>& sweeps, const LearnOptions& options,
              const std::function<void(size_t done)>& progress) {
  std::vector<LearnedSweep> each(sweeps.size());
  std::mutex counting;
  size_t done = 0;
  forEachIndex(sweeps.size(), [&](size_t i) {
    each[i] = {decide(sweeps[i], options), findInversions(sweeps[i])};
    const std::lock_guard lock(counting);
    done++;
    if (progress) progress(done);
  });

  Learned result;
  std::vector<DecidedSweep> decided;
  for (size_t i = 0; i < sweeps.size(); i++) {
    const Sweep& sweep = sweeps[i];
    decided.push_back({sweep.collective, sweep.nodes, sweep.ranksPerNode(), sweep.pool, {}});
    for (Decision& decision : each[i].decisions) {
      if (decision.rule) decided.back().rules.push_back(*decision.rule);
      result.decisions.push_back(std::move(decision));
    }
    result.inversions.insert(result.inversions.end(), each[i].inversions.begin(), each[i].inversions.end());
  }
  result.tables = buildTables(std::move(decided));
  return result;
}

}  // namespace polyrail::cli
