// SPDX-License-Identifier: Apache-2.0
// What the ranks of a run share, in memory that all processes map: NCCL's id, a barrier, each rank's results. Made by
// the parent before it forks.
#pragma once

#include <atomic>
#include <cstddef>

#include "test/vgpu/driver/nccl.h"

namespace polyrail::vgpu {

constexpr int kMaxRanks = 64;

struct RankResult {
  double seconds;  // of one collective, on the average
  size_t wrong;
};

struct Shared {
  UniqueId id;
  std::atomic<int> arrived, round;
  std::atomic<int> failed;    // ranks that gave up: nobody waits for them
  std::atomic<size_t> wrong;  // elements, of all sizes
  int ranks;
  RankResult results[kMaxRanks];
};

// Null when the kernel gives no memory.
Shared* makeShared(int ranks);
// False when a rank has given up.
bool meet(Shared* shared);

}  // namespace polyrail::vgpu
