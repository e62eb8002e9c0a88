// SPDX-License-Identifier: Apache-2.0
// What a process holds: to be compared between two moments at which it should hold the same. A value.
#pragma once

#include <string>

namespace polyrail::vgpu {

struct Census {
  size_t threads = 0, descriptors = 0, memoryKiB = 0;  // of the process
  size_t regions = 0, streams = 0;                     // of the virtual CUDA
  std::string verbs;                                   // "mr 2, qp 1": the emulator's objects
  size_t pluginThreads = 0;                            // of the net plugin
  bool pluginMapped = false;                           // libnccl-net-polyrail.so
};

Census takeCensus();
// "threads 3 descriptors 20 …", for people and for tests.
std::string textOf(const Census& census);

}  // namespace polyrail::vgpu
