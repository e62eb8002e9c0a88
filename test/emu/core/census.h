// SPDX-License-Identifier: Apache-2.0
// How many verbs objects of each kind exist: a leak is a number that is not zero at the end. Plain counters, changed
// under the World's lock.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace polyrail::emu {

enum class Kind : uint8_t { kContext, kPd, kMr, kCq, kQp, kSrq, kAh, kChannel };
constexpr std::array<const char*, 8> kKindNames = {"context", "pd", "mr", "cq", "qp", "srq", "ah", "channel"};

struct Census {
  std::array<int64_t, kKindNames.size()> live{};
  std::array<int64_t, kKindNames.size()> made{};

  int64_t& operator[](Kind kind) { return live[static_cast<size_t>(kind)]; }
  void add(Kind kind) {
    live[static_cast<size_t>(kind)]++;
    made[static_cast<size_t>(kind)]++;
  }
  void drop(Kind kind) { live[static_cast<size_t>(kind)]--; }
  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t n : live) sum += n;
    return sum;
  }
  // "mr 2, qp 1"; empty when nothing is left.
  std::string text() const {
    std::string out;
    for (size_t i = 0; i < live.size(); i++)
      if (live[i] != 0) out += (out.empty() ? "" : ", ") + std::string(kKindNames[i]) + " " + std::to_string(live[i]);
    return out;
  }
};

}  // namespace polyrail::emu
