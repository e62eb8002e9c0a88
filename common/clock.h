// SPDX-License-Identifier: Apache-2.0
// Where time comes from. Code that waits, measures or keeps deadlines asks a Clock, so that a simulator can be the
// one who says how late it is. Times are nanoseconds since an arbitrary start and never go back. A Clock belongs to
// whoever made it and must outlive its readers; every thread may read a RealClock, a ManualClock only one.
#pragma once

#include <cstdint>
#include <ctime>

namespace polyrail {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t nowNs() const = 0;
};

// CLOCK_MONOTONIC: the same time base in every process of a machine.
class RealClock final : public Clock {
 public:
  int64_t nowNs() const override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
};

// Stands still until it is told otherwise; what unit tests use.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t start = 0) : now_(start) {}
  int64_t nowNs() const override { return now_; }
  void advance(int64_t ns) { now_ += ns; }

 private:
  int64_t now_;
};

}  // namespace polyrail
