// SPDX-License-Identifier: Apache-2.0
// The few order statistics the learner needs. Pure; any thread.
#pragma once

#include <limits>
#include <vector>

#include "cli/learn/sweep.h"

namespace polyrail::cli {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

// Reorders its argument. NaN for no values; the mean of the two middle values for an even number.
double median(std::vector<double>& values);
// The smallest value that at least a share q in (0, 1] of the values does not exceed; reorders. NaN for no values.
double quantile(std::vector<double>& values, double q);

// Log times of a series' runs at one size and placement, those that exist.
std::vector<double> timesAt(const Series& series, size_t size, size_t placement);
// Their median; NaN when there are none.
double medianAt(const Series& series, size_t size, size_t placement);
// Time of a series at a size, microseconds: the geometric mean of the placements' medians. NaN when not measured.
double typicalUs(const Series& series, size_t size);
// Runs that measured this size at all.
size_t runsAt(const Series& series, size_t size);

}  // namespace polyrail::cli
