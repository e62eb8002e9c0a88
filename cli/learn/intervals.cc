// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/intervals.h"

#include <algorithm>
#include <cmath>

namespace polyrail::cli {
namespace {

uint64_t rounded(double bytes) {
  if (bytes < 16) return static_cast<uint64_t>(std::llround(bytes));
  const double grain = std::exp2(std::floor(std::log2(bytes)) - 4);
  return static_cast<uint64_t>(std::llround(bytes / grain) * std::llround(grain));
}

uint64_t endAfter(uint64_t size) { return std::max(size + 1, rounded(static_cast<double>(size) * std::sqrt(2.0))); }

// By how much the log time of the first choice is below that of the second.
double lead(const Comparison& c, size_t first, size_t second, size_t size) {
  const auto gain = [&](size_t series) { return series == 0 ? 0.0 : c.cells[series][size].gain; };
  return gain(first) - gain(second);
}

uint64_t border(const Sweep& sweep, const Comparison& c, const Span& left, const Span& right) {
  const double before = lead(c, left.series, right.series, left.last);
  const double after = lead(c, left.series, right.series, right.first);
  const double share = before > 0 && after < 0 ? before / (before - after) : 0.5;
  const auto low = static_cast<double>(sweep.sizes[left.last]), high = static_cast<double>(sweep.sizes[right.first]);
  const uint64_t at = rounded(low * std::pow(high / low, share));
  return std::clamp(at, sweep.sizes[left.last] + 1, sweep.sizes[right.first]);
}

}  // namespace

std::vector<Interval> intervalsOf(const Sweep& sweep, const Comparison& comparison, const std::vector<Span>& spans) {
  std::vector<Interval> intervals;
  for (size_t i = 0; i < spans.size(); i++) {
    const uint64_t first = sweep.sizes[spans[i].first], last = sweep.sizes[spans[i].last];
    const bool follows = i > 0 && first / sweep.sizes[spans[i - 1].last] <= kWidestGap;
    const bool goesOn = i + 1 < spans.size() && sweep.sizes[spans[i + 1].first] / last <= kWidestGap;
    intervals.push_back({follows ? intervals.back().to : first,
                         goesOn ? border(sweep, comparison, spans[i], spans[i + 1]) : endAfter(last)});
  }
  return intervals;
}

}  // namespace polyrail::cli
