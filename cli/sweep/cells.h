// SPDX-License-Identifier: Apache-2.0
// The times that a race has so far: arms by sizes, a number a run. A number is the lesser of a run's two placements,
// because what strays goes to the slow side (in public results one placement in ten is tens of percents slow, both of
// a run rarely). Times are natural logarithms of microseconds. One owner, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace polyrail::sweep {

// Microseconds out of place and in place; NaN for none.
using Sample = std::array<double, 2>;

class Cells {
 public:
  Cells(size_t arms, size_t sizes) : sizes_(sizes), runs_(arms * sizes) {}

  void add(size_t arm, size_t size, const Sample& us);
  size_t runs(size_t arm, size_t size) const { return at(arm, size).size(); }
  // Median of the runs; where there are none, between the nearest measured sizes on a line over the index (sizes grow
  // by a factor, so that is a power law); NaN where the arm has no time at all.
  double estimate(size_t arm, size_t size) const;
  // Standard deviation of one run around this size, from how far consecutive runs of the same cell lie apart, their
  // median; `prior` where there are too few.
  double scatter(size_t size, double prior) const;

 private:
  const std::vector<double>& at(size_t arm, size_t size) const { return runs_[arm * sizes_ + size]; }
  double median(size_t arm, size_t size) const;

  size_t sizes_;
  std::vector<std::vector<double>> runs_;
};

}  // namespace polyrail::sweep
