// SPDX-License-Identifier: Apache-2.0
// How long chunks of one path take from posting to completion, by looking at one of them now and then: the hot path
// counts down to it, and pays for the clock only then. A plain value of one comm; times are nanoseconds of any clock.
#pragma once

#include <algorithm>

#include "net/telemetry/names.h"

namespace polyrail::net {

class PathSamples {
 public:
  // A chunk in so many after the last: of long messages, and of those whose cost is mostly that of a work request.
  static constexpr uint16_t kEvery = 128, kEverySmall = 1024;

  // A chunk of `length` bytes is about to be posted, as the last of `queued` that have not completed.
  void begin(uint64_t length, uint32_t queued, int64_t now) {
    ahead_ = length * queued;
    begun_ = now;
  }
  // It has completed, and with it all that was ahead: chunks of its own size, mostly.
  void end(int64_t now) {
    const int64_t took = std::max<int64_t>(now - begun_, 1);
    histogram_[bucketOf(took)]++;
    const double gain = count_++ == 0 ? 1 : kGain;
    rate_ += gain * (static_cast<double>(ahead_) / static_cast<double>(took) - rate_);
    latency_ += gain * (static_cast<double>(took) - latency_);
  }
  const LatencyHistogram& histogram() const { return histogram_; }
  uint64_t count() const { return count_; }
  double rate() const { return rate_; }        // bytes a ns; 0: not measured
  double latency() const { return latency_; }  // ns, of the last few; 0: not measured

 private:
  static constexpr double kGain = 0.25;

  LatencyHistogram histogram_{};
  uint64_t count_ = 0, ahead_ = 0;
  int64_t begun_ = 0;
  double rate_ = 0, latency_ = 0;
};

}  // namespace polyrail::net
