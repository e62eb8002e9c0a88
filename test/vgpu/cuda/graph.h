// SPDX-License-Identifier: Apache-2.0
// Captured graphs: the tasks of all streams that took part, in the order in which they were captured. A launch runs
// them one after the other on one stream, which keeps every order that the graph asked for. Not for several threads
// at once, as with CUDA's.
#pragma once

#include <memory>
#include <vector>

#include "test/vgpu/cuda/stream.h"

namespace polyrail::vgpu {

// What a graph owns besides tasks: NCCL hangs the destructor of a persistent plan on it.
struct UserObject {
  HostFunction destroy = nullptr;
  void* argument = nullptr;
  ~UserObject() {
    if (destroy) destroy(argument);
  }
};

struct Graph {
  uint64_t id = 0;
  std::vector<Task> tasks;
  std::vector<Stream*> members;
  std::vector<std::shared_ptr<UserObject>> objects;
};

}  // namespace polyrail::vgpu
