// SPDX-License-Identifier: Apache-2.0
// A virtual cluster in files: the emulator's fabric (hosts n0, n1, … with rails each) and NCCL's topology of one
// node, since no /sys shows what does not exist. Files live in a folder of the process, removed at its end. Not
// thread-safe.
#pragma once

#include <string>
#include <vector>

namespace polyrail::vgpu {

struct Cluster {
  int nodes = 2;
  int gpus = 1;                            // of a node
  std::vector<std::string> rates = {"0"};  // a rail each, as the emulator reads it; 0: as fast as memory copies
  bool gpuDirect = true;                   // NICs beside the GPUs, which reach their memory
  bool nvlinks = false;                    // between the GPUs of a node
  int capability = 80;                     // of the GPUs; NCCL asks for no flush on 90
};

std::string railName(size_t rail);              // "mlx5_0"
std::string railNames(const Cluster& cluster);  // "mlx5_0,mlx5_1"
// Paths of the files; equal clusters share theirs.
std::string fabricFile(const Cluster& cluster);
std::string topologyFile(const Cluster& cluster);
// A path for a file of the caller's own in the same folder.
std::string ownFile(const std::string& name);

}  // namespace polyrail::vgpu
