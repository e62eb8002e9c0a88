// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/time_model.h"

namespace polyrail::cli {

std::optional<TimeModel> fitTime(std::span<const TimePoint> points) {
  // Minimise sum((base u + slope v - 1)^2) with u = 1 / us, v = mib / us.
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const TimePoint& p : points) {
    const double u = 1 / p.us, v = p.mib / p.us;
    uu += u * u, uv += u * v, vv += v * v, u1 += u, v1 += v;
  }
  if (points.empty()) return std::nullopt;
  const double determinant = uu * vv - uv * uv;
  // Points of one size (or one point): only a constant can be told.
  if (determinant <= 1e-12 * uu * vv) return TimeModel{u1 / uu, 0};
  const TimeModel free{(u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant};
  if (free.baseUs < kMinTimeUs) return TimeModel{kMinTimeUs, (v1 - kMinTimeUs * uv) / vv};
  if (free.usPerMib < 0) return TimeModel{u1 / uu, 0};
  return free;
}

}  // namespace polyrail::cli
