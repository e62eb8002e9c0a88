// SPDX-License-Identifier: Apache-2.0
// Bars: the race of `polyrail sweep` on full grids. Synthetic ones have known times and the noise of public
// measurements; a recorded one (from nccl-tests output below DATA) is its own truth, raced once from each of its
// runs. What is compared is the time of the arm that the race ends with, size by size, with the best of the whole
// grid; what it cost is the times that it measured, repeats counted, over those of all arms at all sizes.
// A recording is made by `test/vgpu/sweep NCCL RATE FOLDER --full --repeats 6 ...`, or on a cluster.
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
  void add(const Verdict& v) {
    meanLoss += v.meanLoss, meanShare += v.meanShare, grids += v.grids, sizes += v.sizes, thin += v.thin;
    worstLoss = std::max(worstLoss, v.worstLoss), worstCell = std::max(worstCell, v.worstCell);
    worstShare = std::max(worstShare, v.worstShare);
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

// Recordings by whether they tell their best at all: a sweep of the full grid by the same runs loses what those runs
// cannot tell, which is no fault of the race. Where that is more than the limit, the race is held to the full sweep's
// loss instead, on the average of the replays.
struct Recorded {
  Verdict clear;
  size_t noisy = 0;
  double excess = -1, noise = 0;  // worst of the noisy recordings: the race above, and the loss of, a full sweep
  double noisyShare = 0;
};

void raceAll(const Sweep& sweep, Recorded& out) {
  const Recording recording(sweep);
  if (!recording.isFull()) return;
  Verdict races, fulls;
  for (size_t start = 0; start < recording.runs(); start++) {
    races.add(recording.raced(kRepeats, start, false));
    fulls.add(recording.raced(kRepeats, start, true));
  }
  if (fulls.worstLoss <= kLoss) return out.clear.add(races);
  const double n = static_cast<double>(races.grids);
  out.noisy++;
  out.excess = std::max(out.excess, (races.meanLoss - fulls.meanLoss) / n);
  out.noise = std::max(out.noise, fulls.meanLoss / n);
  out.noisyShare = std::max(out.noisyShare, races.worstShare);
}

void printNoisy(const Recorded& r) {
  if (r.noisy == 0) return;
  std::printf("BAR sweep-noisy-excess %.2f%% <=%.0f%% %s above a full sweep by the same runs, which loses %.1f%%\n",
              100 * r.excess, 100 * kLoss, r.excess <= kLoss ? "holds" : "falls-short", 100 * r.noise);
  std::printf("BAR sweep-noisy-measured %.1f%% <=%.0f%% %s of %zu recordings that do not tell their best to %.0f%%\n",
              100 * r.noisyShare, 100 * kShare, r.noisyShare <= kShare ? "holds" : "falls-short", r.noisy,
              100 * kLoss);
}

void recordedGrids(const char* folder) {
  const Result<Gathered> gathered = gatherRuns({folder}, {});
  Recorded recorded;
  if (gathered.ok())
    for (const std::vector<LabelledRun>& context : byContext(gathered.value().runs)) {
      std::vector<const Run*> runs;
      for (const LabelledRun& run : context) runs.push_back(&run.run);
      for (const Sweep& sweep : makeSweeps(runs).sweeps) raceAll(sweep, recorded);
    }
  printNoisy(recorded);
  if (recorded.clear.grids > 0) return print("recorded", recorded.clear);
  for (const char* what : {"measured", "loss", "thin"})
    std::printf(
        "BAR sweep-recorded-%s - - skipped no full grid with a default, three arms and a clear best below DATA\n",
        what);
}

}  // namespace

int main() {
  Verdict verdict;
  for (size_t seed = 0; seed < kGrids; seed++) verdict.add(syntheticGrid(seed));
  print("synthetic", verdict);
  const char* folder = std::getenv("DATA");
  recordedGrids(folder && *folder ? folder : "/nonexistent");
}
