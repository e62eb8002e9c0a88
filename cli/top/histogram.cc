// SPDX-License-Identifier: Apache-2.0
#include "cli/top/histogram.h"

#include <cmath>
#include <numeric>

namespace polyrail::cli {

uint64_t totalOf(const LatencyHistogram& h) { return std::accumulate(h.begin(), h.end(), uint64_t{0}); }

void add(const LatencyHistogram& more, LatencyHistogram* sum) {
  for (size_t b = 0; b < sum->size(); b++) (*sum)[b] += more[b];
}

LatencyHistogram since(const LatencyHistogram& now, const LatencyHistogram& before) {
  LatencyHistogram difference{};
  for (size_t b = 0; b < now.size(); b++) difference[b] = since(now[b], before[b]);
  return difference;
}

double estimatedSum(const LatencyHistogram& h) {
  double sum = 0;
  for (size_t b = 0; b < h.size(); b++) sum += static_cast<double>(h[b]) * std::ldexp(1.5e-9, static_cast<int>(b));
  return sum;
}

}  // namespace polyrail::cli
