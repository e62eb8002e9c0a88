// SPDX-License-Identifier: Apache-2.0
// Fits the straight line that a rule predicts its times with. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "common/policy/policy.h"

namespace polyrail::cli {

struct TimePoint {
  double mib = 0;  // total bytes / 2^20
  double us = 0;   // > 0
};

// Least squares of the relative error, neither coefficient negative: a line through a latency and a bandwidth
// (Hockney, "The communication challenge for MPP", Parallel Computing 1994). The latency is at least kMinTimeUs, so
// that the line is positive everywhere. Nothing for no points; points of one size give a constant.
std::optional<TimeModel> fitTime(std::span<const TimePoint> points);

}  // namespace polyrail::cli
