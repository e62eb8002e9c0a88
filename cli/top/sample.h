// SPDX-License-Identifier: Apache-2.0
// What `polyrail top` knows of a node at one moment: of each process with the net plugin its rails and paths, and
// their counters since it began. Plain values; gather.h makes them, the view and the writers read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/histogram.h"

namespace polyrail::cli {

// In the order of their weight: a rail of several processes shows the heaviest of its states in them.
enum class RailCondition : uint8_t {
  kUp,
  kRepairing,  // some of its paths are out of use
  kFailed,     // all of them are, though its port is up
  kDown,       // its port is down
  kLost,       // its device is gone
};
const char* conditionName(RailCondition condition);

struct RailSample {
  std::string name;  // "mlx5_0:1"
  RailCondition condition = RailCondition::kUp;
  bool slow = false;  // the plugin has named it as slower than its siblings
  uint64_t bytesSent = 0, bytesReceived = 0, chunksSent = 0, chunksReceived = 0;
  uint64_t serviceRate = 0;             // bytes a second while loaded; 0: not measured
  uint64_t failures = 0, revivals = 0;  // of its paths
  uint64_t stuck = 0, portDowns = 0;    // failures that the watchdog found; events of the port
  std::string lastCause;                // of a failure; empty: none
  int64_t lastFailureNs = 0;            // CLOCK_MONOTONIC
  LatencyHistogram latency{};           // of chunks sent, from posting to completion
};

struct PathSample {
  uint64_t comm = 0;  // number in its process
  unsigned index = 0;
  bool sends = false;
  std::string phase;                           // "live", "fenced", ...
  std::string peer, rail, peerRail;            // host, and the rails at both ends
  uint64_t bytes = 0, rate = 0, inFlight = 0;  // rate: as a rail's serviceRate
  uint64_t failures = 0, revivals = 0;
  std::string lastCause;
  LatencyHistogram latency{};
};

struct ProcessSample {
  int pid = 0, rank = -1;  // rank: -1 unknown
  int64_t startedNs = 0;   // what tells it from another with its number
  std::string command, file;
  unsigned comms = 0;
  std::vector<RailSample> rails;
  std::vector<PathSample> paths;
};

struct TopSample {
  int64_t timeNs = 0;  // CLOCK_MONOTONIC
  std::vector<ProcessSample> processes;
  std::vector<std::string> ended;       // files of processes that are no more
  std::vector<std::string> unreadable;  // one sentence for each file that is refused
};

}  // namespace polyrail::cli
