// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/selection.h"

#include <algorithm>
#include <limits>

#include "tuner/channels.h"

namespace polyrail::cli {
namespace {

constexpr double kChange = 0.02;           // of one size's time: what a change has to save
constexpr double kChannel = 0.0002;        // of the time: what one channel more has to save
constexpr double kEqualAtMost = 0.02;      // never call choices equal that differ by more, however loud the noise
constexpr double kStandardErrors = 1.645;  // one-sided 95 %
constexpr double kDetectable = 2.8;        // standard errors in Comparison::detectable
constexpr int kUsualPool = 32;
constexpr double kClosed = std::numeric_limits<double>::infinity();

bool apart(const Sweep& sweep, size_t s) { return s > 0 && sweep.sizes[s] / sweep.sizes[s - 1] > kWidestGap; }

class Path {
 public:
  Path(const Sweep& sweep, const Comparison& comparison, const LearnOptions& options)
      : sweep_(sweep), comparison_(comparison), options_(options) {
    for (size_t s = 0; s < sweep.sizes.size(); s++) costs_.push_back(costsAt(s));
  }

  std::vector<Span> cheapest(double change) const {
    const size_t sizes = costs_.size(), arms = sweep_.series.size();
    std::vector<std::vector<size_t>> from(sizes, std::vector<size_t>(arms));
    std::vector<double> total(arms, 0);
    for (size_t s = 0; s < sizes; s++) {
      const auto best = static_cast<size_t>(std::min_element(total.begin(), total.end()) - total.begin());
      const double jump = total[best] + (s == 0 || apart(sweep_, s) ? 0 : change);
      for (size_t i = 0; i < arms; i++) {
        from[s][i] = total[i] <= jump ? i : best;
        total[i] = std::min(total[i], jump) + costs_[s][i];
      }
    }
    return walkBack(from, static_cast<size_t>(std::min_element(total.begin(), total.end()) - total.begin()));
  }

 private:
  const Compared& cell(size_t i, size_t s) const { return comparison_.cells[i][s]; }

  bool wins(size_t i, size_t s) const { return s < costSizes() && cell(i, s).verdict == Verdict::kWins; }
  size_t costSizes() const { return sweep_.sizes.size(); }

  // A single size between two that the arm wins: open when the three together still show the gain.
  bool bridges(size_t i, size_t s) const {
    if (s == 0 || !wins(i, s - 1) || !wins(i, s + 1) || apart(sweep_, s) || apart(sweep_, s + 1)) return false;
    const Compared &before = cell(i, s - 1), &here = cell(i, s), &after = cell(i, s + 1);
    if (here.verdict == Verdict::kNotMeasured) return true;
    if (here.verdict != Verdict::kWithinNoise && here.verdict != Verdict::kUnsteady) return false;
    const double low = (before.low + here.low + after.low) / 3;
    return saved(here.gain) >= options_.minimumGain && saved(low) > here.needed;
  }

  double gain(size_t i, size_t s) const {
    if (i == 0) return 0;
    if (cell(i, s).verdict != Verdict::kNotMeasured) return cell(i, s).gain;
    return (cell(i, s - 1).gain + cell(i, s + 1).gain) / 2;
  }

  // Channels that would really run (facts of NCCL's scheduler: few at small sizes whatever is asked for).
  double channelPrice(size_t i, size_t s) const {
    const Arm& arm = *sweep_.series[i].arm;
    nccl::ChannelQuestion q;
    q.collective = sweep_.collective;
    q.algorithm = arm.algorithm;
    q.protocol = arm.protocol;
    q.totalBytes = sweep_.totalBytes(s);
    q.ranks = static_cast<int>(sweep_.ranks);
    q.nodes = static_cast<int>(sweep_.nodes);
    q.pool = std::clamp(sweep_.pool.value_or(kUsualPool), arm.channels.value_or(1), nccl::kMaxChannels);
    q.requested = arm.channels.value_or(0);
    return kChannel * nccl::planChannels(q).running;
  }

  std::vector<double> costsAt(size_t s) const {
    const size_t arms = sweep_.series.size();
    double best = 0;
    for (size_t i = 1; i < arms; i++)
      if (wins(i, s)) best = std::max(best, cell(i, s).gain);
    const double equal = std::min(kEqualAtMost, comparison_.detectable[s] * kStandardErrors / kDetectable);
    std::vector<double> costs(arms, kClosed);
    costs[0] = best;
    for (size_t i = 1; i < arms; i++) {
      if (!sweep_.series[i].arm || (!wins(i, s) && !bridges(i, s))) continue;
      const double lost = std::max(0.0, best - gain(i, s));
      costs[i] = (lost <= equal ? 0 : lost) + channelPrice(i, s);
    }
    return costs;
  }

  std::vector<Span> walkBack(const std::vector<std::vector<size_t>>& from, size_t arm) const {
    std::vector<Span> spans;
    for (size_t s = from.size(); s-- > 0;) {
      if (spans.empty() || spans.back().series != arm || apart(sweep_, s + 1 < from.size() ? s + 1 : 0))
        spans.push_back({arm, s, s});
      spans.back().first = s;
      arm = from[s][arm];
    }
    std::reverse(spans.begin(), spans.end());
    return spans;
  }

  const Sweep& sweep_;
  const Comparison& comparison_;
  const LearnOptions& options_;
  std::vector<std::vector<double>> costs_;  // by size and series
};

size_t rules(const std::vector<Span>& spans) {
  return static_cast<size_t>(std::count_if(spans.begin(), spans.end(), [](const Span& s) { return s.series != 0; }));
}

}  // namespace

std::vector<Span> selectSpans(const Sweep& sweep, const Comparison& comparison, const LearnOptions& options) {
  const Path path(sweep, comparison, options);
  double change = kChange;
  std::vector<Span> spans = path.cheapest(change);
  // The default everywhere is one span and costs no change, so this ends (gaps aside, which no price closes).
  for (; rules(spans) > options.maxRules && change < 1e3; change *= 1.5) spans = path.cheapest(change * 1.5);
  return spans;
}

}  // namespace polyrail::cli
