// SPDX-License-Identifier: Apache-2.0
// How two placements and three sizes become one number. Used alike on measured gains and on drawn noise, so that the
// one is judged by the other. NaN is "not measured". Pure; any thread.
#pragma once

#include <algorithm>
#include <cmath>

namespace polyrail::cli {

// The mean of out-of-place and in-place, but never further than `reach` above the lesser of them: an outlier in one
// placement moves the result by no more than that.
template <typename Real>
Real ofPlacements(Real a, Real b, Real reach) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return std::min(a, b) + std::min(std::abs(a - b) / 2, reach);
}

// A size together with its neighbours: the median of three, which leaves a trend as it is and drops what a single
// size shows alone. At either end, the lesser of two.
template <typename Real>
Real withNeighbours(Real before, Real here, Real after) {
  if (std::isnan(before) && std::isnan(after)) return here;
  if (std::isnan(before)) return std::min(here, after);
  if (std::isnan(after)) return std::min(here, before);
  return std::max(std::min(before, here), std::min(std::max(before, here), after));
}

}  // namespace polyrail::cli
