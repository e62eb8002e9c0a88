// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/moderation.h"

#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

namespace polyrail::cli {
namespace {

constexpr double kUsualFreedom = 4;  // of the prior, where too few series say
constexpr double kAllChance = 1e6;   // practically: every series is as noisy as the others
constexpr size_t kEnoughSeries = 4;

bool known(const OwnSpread& s) { return s.ratio > 0 && s.freedom >= 1; }

// Log variances of equally noisy series scatter by trigamma(freedom / 2); what they scatter more is real.
double priorFreedom(const std::vector<OwnSpread>& series) {
  double n = 0, sum = 0, squares = 0, chance = 0;
  for (const OwnSpread& s : series) {
    if (!known(s)) continue;
    const double z = 2 * std::log(s.ratio);
    n++, sum += z, squares += z * z, chance += boost::math::trigamma(s.freedom / 2);
  }
  if (n < kEnoughSeries) return kUsualFreedom;
  const double excess = (squares - sum * sum / n) / (n - 1) - chance / n;
  if (excess <= 0) return kAllChance;
  double low = 1e-3, high = kAllChance;
  for (int i = 0; i < 60; i++) {  // trigamma falls
    const double middle = std::sqrt(low * high);
    (boost::math::trigamma(middle / 2) > excess ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::vector<double> moderate(const std::vector<OwnSpread>& series) {
  const double prior = priorFreedom(series);
  std::vector<double> ratios;
  for (const OwnSpread& s : series) {
    const double variance = known(s) ? (prior + s.freedom * s.ratio * s.ratio) / (prior + s.freedom) : 1;
    ratios.push_back(std::sqrt(std::max(1.0, variance)));
  }
  return ratios;
}

}  // namespace polyrail::cli
