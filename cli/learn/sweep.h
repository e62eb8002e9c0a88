// SPDX-License-Identifier: Apache-2.0
// A sweep: one collective on one communicator shape, measured at several sizes with several arms, in one context.
// This is the learner's input, regrouped from runs: dense, times as natural logarithms, sizes in the policy's unit.
// Plain values owned by the caller; any thread may read them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/learn/arm.h"
#include "cli/learn/context.h"

namespace polyrail::cli {

inline constexpr int kPlacements = 2;  // out-of-place, in-place

// One run's times: log microseconds by size index and placement; NaN where it measured nothing.
using Times = std::vector<std::array<double, kPlacements>>;

struct Series {
  std::optional<Arm> arm;             // nothing: NCCL's default
  std::vector<Times> runs;            // each is one independent repeat
  std::vector<double> wrong;          // by size: "#wrong" values summed over repeats; NaN: never checked
  uint64_t times(size_t size) const;  // measured times at a size, both placements counted
};

struct Sweep {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t ranks = 0, nodes = 0;
  std::string type, redop;      // as nccl-tests names them
  std::vector<uint64_t> sizes;  // ascending; bytes per rank for AllGather and ReduceScatter
  std::vector<Series> series;   // sorted by arm, the default first when it was measured
  // What NCCL's default is at each size, from its log lines or rebuilt from its cost table; absent when not known.
  std::vector<std::optional<Arm>> defaultChoice;
  bool defaultRebuilt = false;  // the default's times are those of the arm that it is known to be
  std::optional<int> pool;      // channels of an unforced communicator
  bool ll128Default = false;    // NCCL itself enables LL128 here

  uint64_t ranksPerNode() const { return ranks / nodes; }
  uint64_t totalBytes(size_t size) const {
    return nccl::keyedPerRank(collective) ? sizes[size] * ranks : sizes[size];
  }
  // The default's series, or nullptr.
  const Series* byDefault() const { return !series.empty() && !series[0].arm ? &series[0] : nullptr; }
};

struct Sweeps {
  std::vector<Sweep> sweeps;       // sorted by collective, nodes, ranks
  std::vector<std::string> notes;  // what was left aside and why, one sentence each, without repeats
};

// Groups runs that share one context. Rows of tests a tuner cannot steer, rows without ranks or nodes, and rows whose
// arm is not known are left aside with a note. Sizes within 1 % of each other are one size: nccl-tests rounds them.
Sweeps makeSweeps(const std::vector<const Run*>& runs);

}  // namespace polyrail::cli
