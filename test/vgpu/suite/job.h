// SPDX-License-Identifier: Apache-2.0
// A run of vgpu-perf under a real NCCL (VGPU_NCCL: the folder of its libnccl.so.2) with polyrail's plugins on an
// emulated cluster, and what came of it. A value; run() blocks, never longer than its deadline.
#pragma once

#include <string>
#include <vector>

#include "test/vgpu/suite/cluster.h"

namespace polyrail::vgpu {

struct Outcome {
  int status = -1;     // of vgpu-perf; -1: past the deadline
  std::string text;    // what it printed, NCCL's log and the interpreter's trace among it
  double seconds = 0;  // all of it
  double cpuSeconds = 0;

  bool right() const { return status == 0; }
  bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  size_t count(const std::string& words) const;
  // Microseconds of the table's rows, out of place.
  std::vector<double> times() const;
  // Lines that hold the words; for a failing test's message.
  std::string lines(const std::string& words) const;
};

class Job {
 public:
  explicit Job(std::string collective) : collective_(std::move(collective)) {}
  Job& on(Cluster cluster);  // default: two nodes, one GPU, one fast rail
  Job& with(const std::string& variable, const std::string& value);
  Job& options(const std::string& words);  // of vgpu-perf, separated by blanks
  Job& builtin();                          // NCCL's own NET/IB instead of polyrail's
  Job& faults(const std::string& script);  // the emulator's, JSON
  Job& fused();                            // all rails as one device
  Outcome run() const;

 private:
  std::string collective_;
  Cluster cluster_;
  std::vector<std::string> options_, environment_;
};

// 22907 for 2.29.7: the file `version` in NCCL's folder; 0 without one.
int ncclVersion();

}  // namespace polyrail::vgpu
