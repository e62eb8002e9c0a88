// SPDX-License-Identifier: Apache-2.0
// How the gains of two placements at all sizes become one number a size. Used alike on measured gains and on drawn
// noise, so that the one is judged by the other. NaN is "not measured". Pure; any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace polyrail::cli {

// The mean of what is there.
template <typename Real>
Real meanOf(Real a, Real b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : (a + b) / 2;
}

// Of the span between the two placements the value nearest to what the neighbouring sizes lead one to expect: an
// outlier in one placement decides nothing, in whichever direction. Without neighbours, the lesser.
template <typename Real>
Real ofPlacements(Real a, Real b, Real expected) {
  if (std::isnan(a) || std::isnan(b)) return meanOf(a, b);
  if (std::isnan(expected)) return std::min(a, b);
  return std::clamp(expected, std::min(a, b), std::max(a, b));
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

// Element i, or NaN beyond either end; call it with i - 1 for the one before.
template <typename Real>
Real elementOr(const std::vector<Real>& values, size_t i) {
  return i < values.size() ? values[i] : std::numeric_limits<Real>::quiet_NaN();
}

// One gain a size from the gains a(i) and b(i) of the two placements, for i below the common size of `middle` and
// `gains`; `middle` is scratch.
template <typename Real, typename First, typename Second>
void gainsOfPlacements(First a, Second b, std::vector<Real>& middle, std::vector<Real>& gains) {
  for (size_t i = 0; i < gains.size(); i++) middle[i] = meanOf<Real>(a(i), b(i));
  for (size_t i = 0; i < gains.size(); i++)
    gains[i] = ofPlacements<Real>(a(i), b(i), meanOf(elementOr(middle, i - 1), elementOr(middle, i + 1)));
}

}  // namespace polyrail::cli
