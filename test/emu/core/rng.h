// SPDX-License-Identifier: Apache-2.0
// The emulator's only source of chance: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014). One seed gives one sequence on every machine, which <random>'s distributions do not promise.
#pragma once

#include <cstdint>

namespace polyrail::emu {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace polyrail::emu
