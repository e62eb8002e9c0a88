// SPDX-License-Identifier: Apache-2.0
// What is shown of a node: a pure function of two samples of it and of what was asked for. Rates, shares and
// quantiles are of the time between the two, totals of each process since it began. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/top/sample.h"

namespace polyrail::cli {

// Empty: all.
struct TopSelection {
  std::vector<int> pids, ranks;
  std::vector<std::string> devices;  // "mlx5_0", or "mlx5_0:1" for one port
};

struct RailRow {
  std::string name;  // "mlx5_0:1"
  RailCondition condition = RailCondition::kUp;
  bool slow = false;
  unsigned processes = 0;
  double sentPerSecond = 0, receivedPerSecond = 0;  // bytes
  double share = 0;                                 // of all bytes that were moved meanwhile; 0..1
  int64_t p50Ns = 0, p99Ns = 0;                     // at most, of the chunks that were timed meanwhile; 0: none was
  uint64_t chunks = 0;                              // sent meanwhile
  uint64_t serviceRate = 0;                         // bytes a second while loaded; 0: not measured
  uint64_t bytesSent = 0, bytesReceived = 0, failures = 0, revivals = 0, stuck = 0, portDowns = 0;  // since it began
  std::string lastCause;                                                                            // the newest
  int64_t lastFailureNs = 0;
};

struct ProcessRow {
  int pid = 0, rank = -1;
  std::string command;
  unsigned comms = 0, rails = 0, railsUp = 0;
  double sentPerSecond = 0, receivedPerSecond = 0;
  uint64_t bytesSent = 0, bytesReceived = 0, failures = 0;
};

struct PathRow {
  int pid = 0, rank = -1;
  PathSample path;            // its totals
  double bytesPerSecond = 0;  // the rest of the time between the samples
  int64_t p50Ns = 0, p99Ns = 0;
};

struct TopView {
  int64_t timeNs = 0;                   // of the later sample
  double seconds = 0;                   // between them
  std::vector<RailRow> rails;           // by name, mlx5_2 before mlx5_10
  std::vector<ProcessRow> processes;    // by rank, then pid; unknown ranks last
  std::vector<PathRow> paths;           // of selected rails, in the order of processes, comms and their numbers
  std::vector<std::string> ended;       // files of processes that are no more
  std::vector<std::string> unreadable;  // one sentence each, whatever is selected
  unsigned hidden = 0;                  // processes that were not asked for
};

// A process that is in `now` only began meanwhile.
TopView viewOf(const TopSample& before, const TopSample& now, const TopSelection& selection);

}  // namespace polyrail::cli
