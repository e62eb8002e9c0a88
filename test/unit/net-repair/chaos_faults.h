// SPDX-License-Identifier: Apache-2.0
// The faults of one run of chaos, drawn from a seed, as a fault script of the emulator.
#pragma once

#include <string>

#include "test/unit/net-repair/chaos.h"

namespace polyrail::net {

// splitmix64, so that a seed means the same everywhere.
class ChaosRandom {
 public:
  explicit ChaosRandom(uint64_t seed) : state_(seed) {}
  uint64_t next();
  // From low to high, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  uint64_t state_;
};

struct ChaosShape {
  size_t senders = 2, receivers = 2;          // rails
  size_t spareSender = 0, spareReceiver = 0;  // that are spared
  size_t comms = 0;                           // unfused: so many, each on one NIC; 0: one on all of them
};

// When the second bout of faults begins, where there is one.
inline constexpr int64_t kSecondBoutUs = 6'000'000;

// `spare`: without what no repair can make good (flushes that never come, data acknowledged and not placed).
std::string drawFaults(ChaosRandom& random, const ChaosShape& shape, bool spare);

}  // namespace polyrail::net
