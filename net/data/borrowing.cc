// SPDX-License-Identifier: Apache-2.0
#include "net/data/borrowing.h"

#include <algorithm>

namespace polyrail::net {
namespace {

constexpr double kFar = 0.4, kNear = 0.75, kHalved = 0.6;
// Of a chunk's time what is not its bytes: way, NICs, polling. With little under way a rail is not slow, it has
// little to do.
constexpr double kWayNs = 50'000;

double expected(double owed, double nominal) { return owed / (owed / nominal + kWayNs); }

}  // namespace

std::optional<RailPace> PaceWindow::look(int64_t now, uint64_t railDone, uint64_t commDone, uint64_t owed) {
  if (looks_ == 0) begun_ = last_ = now, railDone_ = railDone, commDone_ = commDone, owed_ = 0, empty_ = 0;
  // Turns that come in a bunch are one look.
  if (looks_ > 0 && now - last_ < kLookNs / 4) return std::nullopt;
  last_ = now;
  looks_++;
  owed_ += static_cast<double>(owed);
  empty_ += owed == 0;
  if (now - begun_ < kWindowNs) return std::nullopt;
  const double time = static_cast<double>(now - begun_);
  const RailPace pace{static_cast<double>(railDone - railDone_) / time,
                      static_cast<double>(commDone - commDone_) / time, owed_ / looks_, empty_ == 0};
  const bool enough = looks_ >= kLooks;
  looks_ = 0;
  return enough ? std::optional(pace) : std::nullopt;
}

bool isFarBelow(const RailPace& pace, double own, double siblings) {
  if (!pace.busy) return false;
  return pace.rate < kFar * expected(pace.owed, own) || (own <= kHalved * siblings && pace.rate > kNear * own);
}

bool isWell(const RailPace& pace, double loaded, double own, double siblings) {
  return own > kHalved * siblings && std::max(pace.rate, loaded) >= kNear * own;
}

}  // namespace polyrail::net
