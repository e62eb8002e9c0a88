// SPDX-License-Identifier: Apache-2.0
// One collective on one channel, as the rank at hand plays it. Runs until it is done or the communicator is aborted.
// One thread for a channel; the tree starts a second for its other direction.
#pragma once

#include "test/vgpu/kernel/primitives.h"

namespace polyrail::vgpu {

// ncclDevWorkColl, and what this channel has to do of it (ncclCollCbdPart).
struct Work {
  int root = 0;
  const char* input = nullptr;
  char* output = nullptr;
  size_t total = 0;   // elements of all channels
  size_t offset = 0;  // where this channel's part begins
  size_t count = 0;   // its elements
  size_t chunk = 0;   // elements a chunk
  bool registered = false;
  bool oneRankPerNode = false;
  Reduction reduction;
};

void runRing(const ChannelView& channel, const Function& function, const Work& work);
void runTree(const ChannelView& channel, const Function& function, const Work& work);

}  // namespace polyrail::vgpu
