// SPDX-License-Identifier: Apache-2.0
// Bars: the race of `polyrail sweep` on full grids. Synthetic ones have known times and the noise of public
// measurements; a recorded one (from nccl-tests output below DATA) is its own truth, raced once from each of its
// runs. What is compared is the time of the arm that the race ends with, size by size, with the best of the whole
// grid; what it cost is the times that it measured, repeats counted, over those of all arms at all sizes.
#include <cstdio>
#include <cstdlib>

#include "cli/learn/context_choice.h"
#include "cli/store/gather.h"
#include "test/bars/replay.h"
#include "test/synthetic/truth.h"

namespace {

using namespace polyrail;
using namespace polyrail::cli;
using namespace polyrail::synthetic;

constexpr size_t kGrids = 300;  // synthetic
constexpr size_t kRepeats = 3;  // of a race on a recording
constexpr double kShare = 0.40, kLoss = 0.03;

Replay syntheticGrid(size_t seed) {
  const std::vector<int> channels[] = {{}, {4, 8}, {2, 4, 8, 12}};
  const Truth truth =
      randomTruth(seed, doublings(1 << 10, seed % 2 ? 1u << 30 : 64u << 20), usualArms(channels[seed % 3]));
  Random random(9000 + seed);
  std::optional<NoisyRun> run;
  const auto us = [&](size_t arm, size_t s) { return arm ? truth.us(arm - 1, s) : truth.defaultUs(s); };
  return replay(
      {.repeats = seed % 4 < 2 ? 5u : 3u}, truth.arms.size() + 1, truth.sizes.size(), us,
      [&](size_t arm, size_t s) {
        const double first = us(arm, s) * run->factor(truth.sizes[s]);
        return sweep::Sample{first, us(arm, s) * run->factor(truth.sizes[s])};
      },
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

std::vector<std::vector<LabelledRun>> byContext(const std::vector<LabelledRun>& runs) {
  const Contexts contexts = contextsOf(runs);
  std::vector<std::vector<LabelledRun>> out(contexts.all.size());
  for (size_t i = 0; i < runs.size(); i++) out[contexts.of[i]].push_back(runs[i]);
  return out;
}

// Every recorded run is the first of a replay. Beside the race stands a sweep of the full grid by the same runs,
// which loses what three runs cannot tell; that is the recording's noise and no fault of the race.
void raceAll(const Sweep& sweep, Verdict& races, Verdict& fulls) {
  const Recording recording(sweep);
  if (!recording.isFull()) return;
  for (size_t start = 0; start < recording.runs(); start++) {
    races.add(recording.raced(kRepeats, start, false));
    fulls.add(recording.raced(kRepeats, start, true));
  }
}

void recordedGrids(const char* folder) {
  const Result<Gathered> gathered = gatherRuns({folder}, {});
  Verdict verdict, fulls;
  if (gathered.ok())
    for (const std::vector<LabelledRun>& context : byContext(gathered.value().runs)) {
      std::vector<const Run*> runs;
      for (const LabelledRun& run : context) runs.push_back(&run.run);
      for (const Sweep& sweep : makeSweeps(runs).sweeps) raceAll(sweep, verdict, fulls);
    }
  if (verdict.grids > 0) {
    print("recorded", verdict);
    std::printf(
        "BAR sweep-recorded-full-loss %.2f%% - shown worst grid of a full sweep by the same runs; mean %.2f%%\n",
        100 * fulls.worstLoss, 100 * fulls.meanLoss / static_cast<double>(fulls.grids));
    return;
  }
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
