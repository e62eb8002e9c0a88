// SPDX-License-Identifier: Apache-2.0
// The end of `polyrail perf` that says what is to be done, sends and measures; and what the two ends must agree on.
// One thread.
#pragma once

#include <functional>

#include "cli/perf/end.h"

namespace polyrail::cli {

inline constexpr char kPerfHello[] = "polyrail_perf";
inline constexpr int kPerfVersion = 1;

// Of one size on one set of rails with one number of messages in flight. Messages and time are those of the timed
// pass.
struct PerfResult {
  std::string rails, device, peerDevice, memory;
  int railCount = 1;
  uint64_t size = 0;
  int inFlight = 1;
  uint64_t messages = 0;
  double seconds = 0;          // 0: no bandwidth was measured
  std::vector<double> sorted;  // microseconds one way; empty: no latency was measured
  Received checked;            // at both ends

  double bytesPerSecond() const;
};

struct PerfReport {
  std::string plugin, peerPlugin;
  std::vector<PerfResult> results;
  std::string error;   // why there are no more of them; empty: all were measured
  bool clean() const;  // no wrong byte
};

// `progress` may be empty. SIGINT and SIGTERM end it early (stop.h).
PerfReport measure(Control& control, const PerfPlan& plan, const EndOptions& options,
                   const std::function<void(size_t done, size_t all)>& progress);

// Both ends make the same passes: that which compares every byte comes first, and may be the only one.
std::vector<Content> passes(Verify verify);
// How many round trips a pass has, and how many messages a pass of bandwidth that is not timed.
uint64_t pingsOf(const PerfPlan& plan, Content content);
SeriesLength lengthOf(const PerfPlan& plan, int inFlight, Content content);

}  // namespace polyrail::cli
