// SPDX-License-Identifier: Apache-2.0
// Waiting for a peer or a proxy: yields first, then sleeps, since many ranks share few cores and a spinning kernel
// would starve the proxies it waits for. Ends early when NCCL aborts the communicator. Any thread.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "test/vgpu/kernel/view.h"

namespace polyrail::vgpu {

// False when the communicator was aborted first.
template <typename Ready>
bool waitUntil(const ChannelView& channel, Ready ready) {
  constexpr int kYields = 64;
  constexpr useconds_t kShortest = 20, kLongest = 200;  // microseconds
  useconds_t pause = kShortest;
  for (int turn = 0; !ready(); ++turn) {
    if (channel.aborted()) return false;
    if (turn < kYields) {
      std::this_thread::yield();
    } else {
      usleep(pause);
      pause = std::min(pause + pause / 4, kLongest);
    }
  }
  return true;
}

}  // namespace polyrail::vgpu
