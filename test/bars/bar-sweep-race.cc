// SPDX-License-Identifier: Apache-2.0
// Bars: the race of `polyrail sweep` on full grids. Synthetic ones have known times and the noise of public
// measurements; a recorded one (from nccl-tests output below DATA) is its own truth. What is compared is the time of
// the arm that the race ends with, size by size, with the best of the whole grid; what it cost is the times that it
// measured, repeats counted, over those of all arms at all sizes.
#include <cstdio>
#include <cstdlib>

#include "cli/learn/context_choice.h"
#include "cli/learn/statistics.h"
#include "cli/store/gather.h"
#include "cli/sweep/race.h"
#include "test/synthetic/truth.h"

namespace {

using namespace polyrail;
using namespace polyrail::cli;
using namespace polyrail::synthetic;

constexpr size_t kGrids = 300;
constexpr double kShare = 0.40, kLoss = 0.03;

struct Replay {
  double loss = 0, worst = 0;  // over sizes: mean and largest
  double share = 0;
  size_t sizes = 0, thin = 0;  // thin: sizes whose choice has fewer runs than were asked for
};

// `us(arm, size)` is the truth, `measured(arm, size, placement)` what a run sees of it; arm 0 is the default.
template <typename True, typename Measure, typename Begin>
Replay replay(size_t arms, size_t sizes, size_t repeats, True us, Measure measured, Begin beginRun) {
  sweep::Race race(arms, sizes, {.repeats = repeats});
  while (const std::optional<sweep::Batch> batch = race.next()) {
    beginRun();
    std::vector<sweep::Sample> times;
    for (size_t s = batch->first; s <= batch->last; s += batch->stride)
      times.push_back({measured(batch->arm, s, 0), measured(batch->arm, s, 1)});
    race.take(times);
  }
  Replay r;
  for (size_t s = 0; s < sizes; s++) {
    double best = us(0, s);
    for (size_t a = 1; a < arms; a++) best = std::fmin(best, us(a, s));
    const double loss = us(race.best(s), s) / best - 1;
    const size_t chosen = race.best(s);
    r.sizes++, r.thin += chosen != 0 && race.cells().runs(chosen, s) < repeats;
    r.loss += loss / static_cast<double>(sizes), r.worst = std::max(r.worst, loss);
  }
  r.share = race.coverage().share();
  return r;
}

Replay syntheticGrid(size_t seed) {
  const std::vector<int> channels[] = {{}, {4, 8}, {2, 4, 8, 12}};
  const Truth truth =
      randomTruth(seed, doublings(1 << 10, seed % 2 ? 1u << 30 : 64u << 20), usualArms(channels[seed % 3]));
  Random random(9000 + seed);
  std::optional<NoisyRun> run;
  const auto us = [&](size_t arm, size_t s) { return arm ? truth.us(arm - 1, s) : truth.defaultUs(s); };
  return replay(
      truth.arms.size() + 1, truth.sizes.size(), seed % 4 < 2 ? 5 : 3, us,
      [&](size_t arm, size_t s, int) { return us(arm, s) * run->factor(truth.sizes[s]); },
      [&] { run.emplace(random.next()); });
}

struct Verdict {
  double meanLoss = 0, worstLoss = 0, worstCell = 0, meanShare = 0, worstShare = 0;
  size_t grids = 0, sizes = 0, thin = 0;
  void add(const Replay& r) {
    meanLoss += r.loss, meanShare += r.share, grids++, sizes += r.sizes, thin += r.thin;
    worstLoss = std::max(worstLoss, r.loss), worstCell = std::max(worstCell, r.worst);
    worstShare = std::max(worstShare, r.share);
  }
};

void print(const char* grids, const Verdict& v) {
  const double n = static_cast<double>(v.grids);
  std::printf("BAR sweep-%s-measured %.1f%% <=%.0f%% %s worst of %zu grids; mean %.1f%%\n", grids, 100 * v.worstShare,
              100 * kShare, v.worstShare <= kShare ? "holds" : "falls-short", v.grids, 100 * v.meanShare / n);
  std::printf(
      "BAR sweep-%s-loss %.2f%% <=%.0f%% %s worst grid, over its sizes; mean %.2f%%, worst single size %.1f%%\n",
      grids, 100 * v.worstLoss, 100 * kLoss, v.worstLoss <= kLoss ? "holds" : "falls-short", 100 * v.meanLoss / n,
      100 * v.worstCell);
  const double thin = static_cast<double>(v.thin) / static_cast<double>(v.sizes);
  std::printf("BAR sweep-%s-thin %.2f%% <=1%% %s sizes whose choice has fewer runs than asked for, of %zu\n", grids,
              100 * thin, thin <= 0.01 ? "holds" : "falls-short", v.sizes);
}

// A recorded grid: the sizes at which the default and every arm were measured. Each run of the race sees one of the
// recorded runs, by turns.
bool recorded(const Sweep& sweep, Verdict& verdict) {
  if (!sweep.byDefault() || sweep.series.size() < 4) return false;
  std::vector<size_t> sizes;
  for (size_t s = 0; s < sweep.sizes.size(); s++) {
    bool all = true;
    for (const Series& series : sweep.series) all &= runsAt(series, s) == series.runs.size();
    if (all) sizes.push_back(s);
  }
  if (sizes.size() < 6) return false;
  size_t turn = 0;
  verdict.add(replay(
      sweep.series.size(), sizes.size(), 3,
      [&](size_t arm, size_t s) { return typicalUs(sweep.series[arm], sizes[s]); },
      [&](size_t arm, size_t s, size_t placement) {
        const std::vector<Times>& runs = sweep.series[arm].runs;
        return std::exp(runs[turn % runs.size()][sizes[s]][placement]);
      },
      [&] { turn++; }));
  return true;
}

std::vector<std::vector<LabelledRun>> byContext(const std::vector<LabelledRun>& runs) {
  const Contexts contexts = contextsOf(runs);
  std::vector<std::vector<LabelledRun>> out(contexts.all.size());
  for (size_t i = 0; i < runs.size(); i++) out[contexts.of[i]].push_back(runs[i]);
  return out;
}

void recordedGrids(const char* folder) {
  const Result<Gathered> gathered = gatherRuns({folder}, {});
  Verdict verdict;
  if (gathered.ok())
    for (const std::vector<LabelledRun>& context : byContext(gathered.value().runs)) {
      std::vector<const Run*> runs;
      for (const LabelledRun& run : context) runs.push_back(&run.run);
      for (const Sweep& sweep : makeSweeps(runs).sweeps) recorded(sweep, verdict);
    }
  if (verdict.grids > 0) return print("recorded", verdict);
  for (const char* what : {"measured", "loss", "thin"})
    std::printf("BAR sweep-recorded-%s - - skipped no full grid with a default and three arms below DATA\n", what);
}

}  // namespace

int main() {
  Verdict verdict;
  for (size_t seed = 0; seed < kGrids; seed++) verdict.add(syntheticGrid(seed));
  print("synthetic", verdict);
  const char* folder = std::getenv("DATA");
  recordedGrids(folder && *folder ? folder : "/nonexistent");
}
