// SPDX-License-Identifier: Apache-2.0
// A run of vgpu-perf under a real NCCL (VGPU_NCCL: the folder of its libnccl.so.2) with polyrail's plugins on an
// emulated cluster. A value; run() blocks, never longer than its deadline.
#pragma once

#include <string>
#include <vector>

#include "test/vgpu/suite/cluster.h"
#include "test/vgpu/suite/outcome.h"

namespace polyrail::vgpu {

class Job {
 public:
  explicit Job(std::string collective) : collective_(std::move(collective)) {}
  Job& on(Cluster cluster);  // default: two nodes, one GPU, one fast rail
  Job& with(const std::string& variable, const std::string& value);
  Job& options(const std::string& words);  // of vgpu-perf, separated by blanks
  Job& builtin();                          // NCCL's own NET/IB instead of polyrail's
  Job& faults(const std::string& script);  // the emulator's, JSON
  // polyrail's plugin behind test/vgpu/mutant, which counts what NCCL asks of it, and alters what `mutation` says.
  Job& watched(const std::string& mutation = "");
  Job& fused();  // all rails as one device
  Outcome run() const;

 private:
  std::string collective_;
  Cluster cluster_;
  std::vector<std::string> options_, environment_;
};

// 22907 for 2.29.7: the file `version` in NCCL's folder; 0 without one.
int ncclVersion();

}  // namespace polyrail::vgpu
