// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/statistics.h"

#include <algorithm>
#include <cmath>

#include "cli/learn/statistic.h"

namespace polyrail::cli {

double median(std::vector<double>& values) {
  if (values.empty()) return kNoTime;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return kNoTime;
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  const size_t index = std::min(static_cast<size_t>(std::max(rank, 1.0)), values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(index), values.end());
  return values[index];
}

std::vector<double> timesAt(const Series& series, size_t size, size_t placement) {
  std::vector<double> all;
  for (const Times& run : series.runs)
    if (!std::isnan(run[size][placement])) all.push_back(run[size][placement]);
  return all;
}

double medianAt(const Series& series, size_t size, size_t placement) {
  std::vector<double> all = timesAt(series, size, placement);
  return median(all);
}

double typicalUs(const Series& series, size_t size) {
  return std::exp(meanOf(medianAt(series, size, 0), medianAt(series, size, 1)));
}

size_t runsAt(const Series& series, size_t size) {
  size_t count = 0;
  for (const Times& run : series.runs) count += !std::isnan(run[size][0]) || !std::isnan(run[size][1]);
  return count;
}

}  // namespace polyrail::cli
