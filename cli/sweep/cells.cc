// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/cells.h"

#include <algorithm>
#include <cmath>

#include "cli/learn/statistics.h"

namespace polyrail::sweep {
namespace {

constexpr size_t kReach = 2;           // sizes to either side whose noise is taken to be alike
constexpr size_t kFewest = 8;          // differences from which a median says something
constexpr double kMedianDiff = 0.954;  // of |x - y| of two normal numbers, in standard deviations: 0.6745 sqrt(2)

}  // namespace

void Cells::add(size_t arm, size_t size, const Sample& us) {
  const double least = std::fmin(us[0], us[1]);  // NaN only when both are
  if (least > 0) runs_[arm * sizes_ + size].push_back(std::log(least));
}

double Cells::median(size_t arm, size_t size) const {
  std::vector<double> values = at(arm, size);
  return cli::median(values);
}

double Cells::estimate(size_t arm, size_t size) const {
  size_t left = size, right = size;
  while (left > 0 && runs(arm, left) == 0) left--;
  while (right + 1 < sizes_ && runs(arm, right) == 0) right++;
  const bool hasLeft = runs(arm, left) > 0, hasRight = runs(arm, right) > 0;
  if (!hasLeft && !hasRight) return cli::kNoTime;
  if (!hasLeft) return median(arm, right);
  if (!hasRight || left == right) return median(arm, left);
  const double share = static_cast<double>(size - left) / static_cast<double>(right - left);
  return (1 - share) * median(arm, left) + share * median(arm, right);
}

double Cells::scatter(size_t size, double prior) const {
  std::vector<double> apart;
  const size_t first = size - std::min(size, kReach), last = std::min(size + kReach, sizes_ - 1);
  for (size_t arm = 0; arm * sizes_ < runs_.size(); arm++)
    for (size_t s = first; s <= last; s++)
      for (size_t i = 1; i < runs(arm, s); i++) apart.push_back(std::abs(at(arm, s)[i] - at(arm, s)[i - 1]));
  return apart.size() < kFewest ? prior : cli::median(apart) / kMedianDiff;
}

}  // namespace polyrail::sweep
