// SPDX-License-Identifier: Apache-2.0
// How long an end waits while nothing moves: yields the processor after some rounds, looks now and then whether the
// other end is still there, and gives up after a set time. One thread.
#pragma once

#include <sched.h>

#include <string>

#include "cli/perf/control.h"
#include "common/clock.h"

namespace polyrail::cli {

class Patience {
 public:
  Patience(Control& control, double seconds)
      : control_(control), limitNs_(static_cast<int64_t>(seconds * 1e9)), start_(clock_.nowNs()), looked_(start_) {}

  void moved() { rounds_ = 0; }
  // Nothing moved in this round.
  Status idle() {
    if (rounds_ > kSpins) sched_yield();
    const int64_t now = clock_.nowNs();
    if (rounds_++ == 0) start_ = looked_ = now;
    if (now - looked_ < kLookNs) return {};
    looked_ = now;
    if (Status s = control_.check(); !s.ok()) return s;
    if (now - start_ < limitNs_) return {};
    return Status::error("nothing moved for " + std::to_string(limitNs_ / 1'000'000) + " ms");
  }

 private:
  static constexpr int64_t kLookNs = 50'000'000;
  static constexpr int kSpins = 64;  // a message that comes soon is not met by a system call
  const RealClock clock_;
  Control& control_;
  const int64_t limitNs_;
  int64_t start_, looked_;
  uint64_t rounds_ = 0;
};

}  // namespace polyrail::cli
