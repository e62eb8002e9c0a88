// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and with every standard library: SplitMix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). A value; one user at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyrail::cli {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [0, n), n < 2^32. The bias of the multiplication is below n / 2^32.
  size_t below(size_t n) { return static_cast<size_t>(((next() >> 32) * n) >> 32); }
  // In (0, 1): never the ends, so that quantile functions may be applied.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace polyrail::cli
