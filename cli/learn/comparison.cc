// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/comparison.h"

#include <algorithm>

#include "cli/learn/critical.h"
#include "cli/learn/statistic.h"
#include "cli/learn/statistics.h"
#include "tuner/compile.h"

namespace polyrail::cli {
namespace {

// z(0.975) + z(0.8): a two-sided test at 5 % then finds a real difference of this many standard errors four times in
// five.
constexpr double kDetectable = 2.8;
// A choice that is faster in the median, but not in two of three single times, may be of two minds (NCCL issue 1752:
// one algorithm slow by an order of magnitude in some cycles only).
constexpr double kSteady = 0.65;
constexpr size_t kRunsForSteady = 3;

double lesser(double a, double b) { return std::isnan(a) || b < a ? b : a; }

class Comparer {
 public:
  Comparer(const Sweep& sweep, const LearnOptions& options)
      : sweep_(sweep), options_(options), noise_(sweep), common_(*sweep.byDefault()) {
    for (const Series& series : sweep.series) gains_.push_back(gainsOf(series));
  }

  Comparison all() {
    Comparison result;
    result.cells.assign(sweep_.series.size(), std::vector<Compared>(sweep_.sizes.size()));
    const Critical critical = criticalOfAll();
    for (size_t s = 0; s < sweep_.sizes.size(); s++) {
      result.spread.push_back(noise_.spread(s));
      result.detectable.push_back(compareAt(s, critical, result));
    }
    return result;
  }

 private:
  // NaN where either was not measured.
  std::vector<double> gainsOf(const Series& series) const {
    const auto gain = [&](size_t s, size_t p) { return medianAt(common_, s, p) - medianAt(series, s, p); };
    std::vector<double> middle(sweep_.sizes.size()), gains(sweep_.sizes.size());
    gainsOfPlacements([&](size_t s) { return gain(s, 0); }, [&](size_t s) { return gain(s, 1); }, middle, gains);
    return gains;
  }

  // Both a candidate and measured beside the default.
  bool competes(size_t series, size_t s) const {
    const Series& candidate = sweep_.series[series];
    return candidate.arm && !std::isnan(gains_[series][s]) && candidate.arm != sweep_.defaultChoice[s];
  }

  Critical criticalOfAll() {
    CriticalQuestion q;
    for (size_t s = 0; s < sweep_.sizes.size(); s++) q.defaultRuns.push_back(runsAt(common_, s));
    for (size_t i = 0; i < sweep_.series.size(); i++) {
      std::vector<size_t> runs;
      for (size_t s = 0; s < sweep_.sizes.size(); s++)
        runs.push_back(competes(i, s) ? runsAt(sweep_.series[i], s) : 0);
      if (std::any_of(runs.begin(), runs.end(), [](size_t n) { return n > 0; })) q.armRuns.push_back(std::move(runs));
    }
    q.chance = (1 - options_.confidence) / 2;
    return criticalGains(noise_, q);
  }

  // Returns the least difference that was detectable at this size.
  double compareAt(size_t s, const Critical& critical, Comparison& result) {
    double least = kNoTime;
    for (size_t i = 0; i < sweep_.series.size(); i++) {
      Compared& cell = result.cells[i][s];
      if (!competes(i, s)) {
        const Series& series = sweep_.series[i];
        if (series.arm && series.arm == sweep_.defaultChoice[s]) cell.verdict = Verdict::kIsDefault;
        continue;
      }
      const double detectable = detectableBy(i, s);
      least = lesser(least, detectable);
      bound(i, s, critical, cell);
      cell.needed = std::max(options_.minimumGain, detectable);
      cell.verdict = judge(i, s, cell);
    }
    return least;
  }

  // Of the difference of two series, whose variances add.
  double noisier(size_t i, size_t s) const {
    const double own = noise_.scale(i, s), common = noise_.scale(0, s);
    return std::sqrt((own * own + common * common) / 2.0);  // hypot() would need glibc 2.35
  }

  // The usual 2.8 CV sqrt(2 / n), for unequal numbers of repeats.
  double detectableBy(size_t i, size_t s) const {
    const double runs =
        1.0 / static_cast<double>(runsAt(sweep_.series[i], s)) + 1.0 / static_cast<double>(runsAt(common_, s));
    return kDetectable * noise_.spread(s) * noisier(i, s) * std::sqrt(runs);
  }

  void bound(size_t i, size_t s, const Critical& critical, Compared& cell) const {
    const double scale = noisier(i, s), here = gains_[i][s];
    const double together = withNeighbours(elementOr(gains_[i], s - 1), here, elementOr(gains_[i], s + 1));
    cell.gain = here;
    cell.low = std::max(here - scale * critical.alone[s], std::min(here, together - scale * critical.together[s]));
    cell.high = here + scale * critical.alone[s];
  }

  // The share of single times, of both placements, below the default's median; 1 where there are too few to tell.
  double steadiness(size_t i, size_t s) const {
    double faster = 0, all = 0;
    for (size_t p = 0; p < kPlacements; p++) {
      const double middle = medianAt(common_, s, p);
      for (double t : timesAt(sweep_.series[i], s, p)) faster += t < middle, all++;
    }
    return runsAt(sweep_.series[i], s) < kRunsForSteady ? 1 : faster / all;
  }

  Verdict judge(size_t i, size_t s, const Compared& cell) const {
    const Series& series = sweep_.series[i];
    if (series.wrong[s] > 0) return Verdict::kWrongResults;
    if (cell.gain <= 0) return Verdict::kSlower;
    if (saved(cell.low) <= cell.needed) return Verdict::kWithinNoise;
    if (steadiness(i, s) < kSteady) return Verdict::kUnsteady;
    if (series.arm->protocol == nccl::Protocol::kLl128) {
      if (!sweep_.ll128Default) return Verdict::kLl128NotDefault;
      if (std::isnan(series.wrong[s])) return Verdict::kLl128Unchecked;
    }
    return judgeChannels(*series.arm);
  }

  // A choice that the tuner would carry out otherwise than it was measured is none.
  Verdict judgeChannels(const Arm& arm) const {
    if (!arm.channels) return Verdict::kWins;
    if (sweep_.pool && *arm.channels > *sweep_.pool) return Verdict::kBeyondPool;
    constexpr int kNewestAbi = 6;
    const Choice choice{arm.algorithm, arm.protocol, arm.channels, {}, {}};
    const Table table{sweep_.collective, {}, sweep_.pool, {}};
    const Options policy{false, options_.allGatherChannels};
    const int used = usableChannels(choice, table, policy, {sweep_.ranks, sweep_.nodes, {}, kNewestAbi});
    return used == *arm.channels ? Verdict::kWins : Verdict::kChannelsNotSet;
  }

  const Sweep& sweep_;
  const LearnOptions& options_;
  Noise noise_;
  const Series& common_;
  std::vector<std::vector<double>> gains_;  // by series and size
};

}  // namespace

const char* explain(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWins: return "wins";
    case Verdict::kNotMeasured: return "not measured";
    case Verdict::kIsDefault: return "is NCCL's default";
    case Verdict::kSlower: return "not faster than the default";
    case Verdict::kWithinNoise: return "within the noise";
    case Verdict::kUnsteady: return "faster in the median only, too many single runs are slow";
    case Verdict::kWrongResults: return "gave wrong results";
    case Verdict::kLl128Unchecked: return "LL128 whose results no run checked";
    case Verdict::kLl128NotDefault: return "LL128, which NCCL is not known to enable by itself here";
    case Verdict::kChannelsNotSet: return "sets channels that the tuner leaves to NCCL";
    case Verdict::kBeyondPool: return "needs more channels than the communicator has by itself";
  }
  return "";
}

Comparison compare(const Sweep& sweep, const LearnOptions& options) { return Comparer(sweep, options).all(); }

}  // namespace polyrail::cli
