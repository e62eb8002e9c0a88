// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/inversions.h"

#include <algorithm>
#include <cmath>

#include "cli/learn/noise.h"
#include "cli/learn/statistics.h"

namespace polyrail::cli {
namespace {

constexpr double kWorthSaying = 0.10;
constexpr double kDetectable = 2.8;  // standard errors, see comparison.cc

}  // namespace

std::vector<Inversion> findInversions(const Sweep& sweep) {
  std::vector<Inversion> found;
  const Series* series = sweep.byDefault();
  if (!series) return found;
  Noise noise(sweep);
  for (size_t s = 0; s + 1 < sweep.sizes.size(); s++) {
    double least = kNoTime;
    for (size_t p = 0; p < kPlacements; p++) {
      const double drop = medianAt(*series, s, p) - medianAt(*series, s + 1, p);
      if (!(drop >= least)) least = drop;
    }
    if (!(least > -std::log1p(-kWorthSaying))) continue;
    const double runs =
        1.0 / static_cast<double>(runsAt(*series, s)) + 1.0 / static_cast<double>(runsAt(*series, s + 1));
    if (least <= kDetectable * noise.spread(s) * std::sqrt(runs)) continue;
    found.push_back({sweep.collective, sweep.ranks, sweep.nodes, sweep.sizes[s], sweep.sizes[s + 1],
                     typicalUs(*series, s), typicalUs(*series, s + 1)});
  }
  return found;
}

}  // namespace polyrail::cli
