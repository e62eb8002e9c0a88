// SPDX-License-Identifier: Apache-2.0
// What came of a run of vgpu-perf: how it ended, and what its output and NCCL's log say. A value.
#pragma once

#include <string>
#include <vector>

namespace polyrail::vgpu {

// What one rank has sent on one rail: bytes of payload, and RDMA READs, which are flushes.
struct RailTraffic {
  std::string rail;
  unsigned long long bytes = 0, reads = 0;
};

struct Outcome {
  int status = -1;     // of vgpu-perf; -1: past the deadline
  std::string text;    // what it printed, NCCL's log and the interpreter's trace among it
  double seconds = 0;  // all of it
  double cpuSeconds = 0;

  bool right() const { return status == 0; }
  bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  size_t count(const std::string& words) const;
  // Of all ranks' rails, for a first communicator.
  std::vector<RailTraffic> traffic() const;
  // Microseconds of the table's rows, out of place.
  std::vector<double> times() const;
  // Lines that hold the words; for a failing test's message.
  std::string lines(const std::string& words) const;
};

}  // namespace polyrail::vgpu
