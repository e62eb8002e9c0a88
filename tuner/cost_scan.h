// SPDX-License-Identifier: Apache-2.0
// The two passes over NCCL's cost table, without a branch that depends on its numbers: times are close to each other
// and a mispredicted compare costs as much as the rest of the decision. Four entries at a time by the compiler's
// vector types, which every 64-bit machine has. What is not >= 0 (-1, NaN) keeps its bits. Pure.
#pragma once

#include <cfloat>
#include <cstring>

namespace polyrail {

using Lanes [[gnu::vector_size(16)]] = float;
inline constexpr int kLanes = 4;

inline Lanes loadLanes(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline float liftOne(float cost, float limit, float lifted) { return cost >= 0 && cost <= limit ? lifted : cost; }

// Entries in [0, limit] become `lifted`.
inline void liftUpTo(float* costs, int count, float limit, float lifted) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Lanes cost = loadLanes(costs + i);
    const Lanes out = ((cost >= 0) & (cost <= limit)) ? lifted - Lanes{} : cost;
    std::memcpy(costs + i, &out, sizeof out);
  }
  for (; i < count; i++) costs[i] = liftOne(costs[i], limit, lifted);
}

// Of the entries >= 0; FLT_MAX when there is none.
inline float smallestAllowed(const float* costs, int count) {
  Lanes least = FLT_MAX - Lanes{};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Lanes cost = loadLanes(costs + i);
    const Lanes allowed = cost >= 0 ? cost : FLT_MAX - Lanes{};
    least = allowed < least ? allowed : least;  // one minps
  }
  float smallest = FLT_MAX;
  for (int lane = 0; lane < kLanes; lane++) smallest = least[lane] < smallest ? least[lane] : smallest;
  for (; i < count; i++) smallest = costs[i] >= 0 && costs[i] < smallest ? costs[i] : smallest;
  return smallest;
}

}  // namespace polyrail
