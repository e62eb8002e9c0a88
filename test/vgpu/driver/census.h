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

// Taken when it stays the same for 0.2 s, and is no more than `most` (if given; memory is not compared), or after 10
// s as it then is: what is about to end on a busy machine is given the time, and a leak stays.
Census settledCensus(const Census* most);
// "threads 3 descriptors 20 …", for people and for tests.
std::string textOf(const Census& census);
// What this process has sent on the emulator's ports, "mlx5_0 4096 bytes 2 reads"; empty without the emulator.
std::string traffic();

}  // namespace polyrail::vgpu
