// SPDX-License-Identifier: Apache-2.0
// A race of `polyrail sweep` on a grid whose times are all known, without running anything: what it chooses at each
// size beside the best of the grid, and what part of the grid it looked at. A grid is two functions, or a recording.
// Values of one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cli/learn/statistics.h"
#include "cli/sweep/race.h"

namespace polyrail {

struct Replay {
  double loss = 0, worst = 0;  // over sizes: mean and largest
  double share = 0;
  size_t sizes = 0, thin = 0;  // thin: sizes whose choice has fewer runs than were asked for
};

// `us(arm, size)` is the truth, `measured(arm, size)` what a run sees of it; arm 0 is the default.
template <typename True, typename Measure, typename Begin>
Replay replay(const sweep::RaceOptions& options, size_t arms, size_t sizes, True us, Measure measured,
              Begin beginRun) {
  sweep::Race race(arms, sizes, options);
  while (const std::optional<sweep::Batch> batch = race.next()) {
    beginRun();
    std::vector<sweep::Sample> times;
    for (size_t s = batch->first; s <= batch->last; s += batch->stride) times.push_back(measured(batch->arm, s));
    race.take(times);
  }
  Replay r;
  for (size_t s = 0; s < sizes; s++) {
    double best = us(0, s);
    for (size_t a = 1; a < arms; a++) best = std::fmin(best, us(a, s));
    const double loss = us(race.best(s), s) / best - 1;
    const size_t chosen = race.best(s);
    r.sizes++, r.thin += chosen != 0 && race.cells().runs(chosen, s) < options.repeats;
    r.loss += loss / static_cast<double>(sizes), r.worst = std::max(r.worst, loss);
  }
  r.share = race.coverage().share();
  return r;
}

// A recorded grid: the sizes at which the default and every arm were measured by every run. Its truth is the sweep's
// own statistic of all runs. The n-th look at a cell sees its n-th run, from `start` on and round about, so that no
// look of a race repeats one and no two arms are tied to each other.
class Recording {
 public:
  explicit Recording(const cli::Sweep& sweep) : sweep_(sweep) {
    for (size_t s = 0; s < sweep.sizes.size(); s++) {
      bool all = true;
      for (const cli::Series& series : sweep.series) all &= cli::runsAt(series, s) == series.runs.size();
      if (all) sizes_.push_back(s);
    }
    fewest_ = sweep.series.empty() ? 0 : sweep.series[0].runs.size();
    for (const cli::Series& series : sweep.series) fewest_ = std::min(fewest_, series.runs.size());
  }

  bool isFull() const { return sweep_.byDefault() && sweep_.series.size() >= 4 && sizes_.size() >= 6; }
  size_t runs() const { return fewest_; }

  Replay raced(size_t repeats, size_t start, bool full) const {
    sweep::Cells truth(sweep_.series.size(), sizes_.size());
    for (size_t a = 0; a < sweep_.series.size(); a++)
      for (size_t s = 0; s < sizes_.size(); s++)
        for (size_t run = 0; run < sweep_.series[a].runs.size(); run++) truth.add(a, s, sample(a, s, run));
    std::vector<size_t> looks(sweep_.series.size() * sizes_.size(), start);
    return replay(
        {.repeats = repeats, .full = full}, sweep_.series.size(), sizes_.size(),
        [&](size_t arm, size_t s) { return std::exp(truth.estimate(arm, s)); },
        [&](size_t arm, size_t s) { return sample(arm, s, looks[arm * sizes_.size() + s]++); }, [] {});
  }

 private:
  sweep::Sample sample(size_t arm, size_t s, size_t run) const {
    const std::vector<cli::Times>& runs = sweep_.series[arm].runs;
    const std::array<double, cli::kPlacements>& times = runs[run % runs.size()][sizes_[s]];
    return {std::exp(times[0]), std::exp(times[1])};
  }

  const cli::Sweep& sweep_;
  std::vector<size_t> sizes_;
  size_t fewest_ = 0;
};

}  // namespace polyrail
