// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/leave_out.h"

#include "cli/learn/learn.h"
#include "cli/learn/parallel.h"

namespace polyrail::cli {
namespace {

template <typename T>
void erase(std::vector<T>& values, size_t index) {
  values.erase(values.begin() + static_cast<ptrdiff_t>(index));
}

Sweep withoutSize(Sweep sweep, size_t size) {
  erase(sweep.sizes, size);
  erase(sweep.defaultChoice, size);
  for (Series& series : sweep.series) {
    erase(series.wrong, size);
    for (Times& run : series.runs) erase(run, size);
  }
  return sweep;
}

Policy policyFrom(const std::vector<Sweep>& sweeps, const LearnOptions& options) {
  Policy policy;
  policy.options.allGatherChannels = options.allGatherChannels;
  policy.tables = learn(sweeps, options).tables;
  return policy;
}

// What to learn from, and the cells of `judged` to keep (all of them for no size).
struct Trial {
  std::vector<Sweep> learnt;
  const Sweep* judged = nullptr;
  std::optional<uint64_t> size;
};

Result<std::vector<EvalCell>> carryOut(const std::vector<Trial>& trials, const LearnOptions& options) {
  std::vector<Result<std::vector<EvalCell>>> results(trials.size(), std::vector<EvalCell>());
  forEachIndex(trials.size(),
               [&](size_t i) { results[i] = evaluate(policyFrom(trials[i].learnt, options), *trials[i].judged); });
  std::vector<EvalCell> cells;
  for (size_t i = 0; i < trials.size(); i++) {
    if (!results[i].ok()) return results[i].status();
    for (const EvalCell& cell : results[i].value())
      if (!trials[i].size || trials[i].size == cell.size) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

Result<std::vector<EvalCell>> leaveSizesOut(const std::vector<Sweep>& sweeps, const LearnOptions& options) {
  std::vector<Trial> trials;
  for (const Sweep& sweep : sweeps)
    for (size_t s = 1; s + 1 < sweep.sizes.size(); s++)
      trials.push_back({{withoutSize(sweep, s)}, &sweep, sweep.sizes[s]});
  return carryOut(trials, options);
}

Result<std::vector<EvalCell>> leaveShapesOut(const std::vector<Sweep>& sweeps, const LearnOptions& options) {
  std::vector<Trial> trials;
  for (const Sweep& judged : sweeps) {
    Trial trial{{}, &judged, {}};
    for (const Sweep& other : sweeps)
      if (&other != &judged && other.collective == judged.collective && other.ranksPerNode() == judged.ranksPerNode())
        trial.learnt.push_back(other);
    if (!trial.learnt.empty()) trials.push_back(std::move(trial));
  }
  return carryOut(trials, options);
}

}  // namespace polyrail::cli
