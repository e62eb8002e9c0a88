// SPDX-License-Identifier: Apache-2.0
// Cost tables for the tests of NCCL's model.
#pragma once

#include "cli/model/predicted_time.h"

namespace polyrail::nccl {

constexpr auto kAr = Collective::kAllReduce;
inline const ModelShape kSix{6, 1, 24};

inline void put(CostModel& t, Collective c, Algorithm a, Protocol p, double latency, double bandwidth) {
  const auto i = static_cast<size_t>(c), j = static_cast<size_t>(a), k = static_cast<size_t>(p);
  t.latencyUs[i][j][k] = latency;
  t.bandwidthGBs[i][j][k] = bandwidth;
}

// What NCCL works out for six Hopper GPUs on one NVSwitch with 360 GB/s of ring.
inline CostModel sixHoppers() {
  CostModel t;
  put(t, kAr, Algorithm::kTree, Protocol::kLl, 12.8, 43.6);
  put(t, kAr, Algorithm::kTree, Protocol::kLl128, 26.5, 128.8);
  put(t, kAr, Algorithm::kTree, Protocol::kSimple, 48.4, 165.6);
  put(t, kAr, Algorithm::kRing, Protocol::kLl, 12.6, 84.6);
  put(t, kAr, Algorithm::kRing, Protocol::kLl128, 33.0, 198.7);
  put(t, kAr, Algorithm::kRing, Protocol::kSimple, 42.4, 216.0);
  put(t, kAr, Algorithm::kNvls, Protocol::kSimple, 25.0, 216.0);
  return t;
}

}  // namespace polyrail::nccl
