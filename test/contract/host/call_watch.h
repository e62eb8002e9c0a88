// SPDX-License-Identifier: Apache-2.0
// How long a call blocked: wall time less the time its thread computed and less the time it waited for a processor
// (/proc/thread-self/schedstat), so that a busy machine is not mistaken for a blocking plugin. One object a thread;
// making one costs about a microsecond.
#pragma once

#include <chrono>

namespace polyrail::contract {

class CallWatch {
 public:
  CallWatch() : start_(now()) {}
  // Since construction. Never negative.
  std::chrono::milliseconds blocked() const;

 private:
  struct Reading {
    std::chrono::nanoseconds wall, busy;
  };
  static Reading now();
  Reading start_;
};

}  // namespace polyrail::contract
