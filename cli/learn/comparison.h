// SPDX-License-Identifier: Apache-2.0
// Every arm of a sweep against NCCL's default, size by size: by how much it is faster, how sure that is, and whether
// it may be chosen. docs/learning.md explains the statistics. Gains are log ratios here (positive: faster than the
// default); saved() turns one into the share of time saved. Plain values; pure; any thread.
#pragma once

#include <cmath>
#include <vector>

#include "cli/learn/options.h"
#include "cli/learn/sweep.h"

namespace polyrail::cli {

inline double saved(double logGain) { return 1 - std::exp(-logGain); }

// Why an arm may not be chosen at a size; kWins: it may.
enum class Verdict {
  kWins,
  kNotMeasured,
  kIsDefault,        // it is what NCCL does anyway
  kSlower,           // not faster
  kWithinNoise,      // faster, but the lower bound does not exceed what can be detected
  kUnsteady,         // faster in the median, but too many single runs are not
  kWrongResults,     // "#wrong" was not 0
  kLl128Unchecked,   // LL128 without a run that checked its results
  kLl128NotDefault,  // LL128 that NCCL does not enable by itself here
  kBeyondPool,       // more channels than an unforced communicator has
  kChannelsNotSet,   // channels that the tuner leaves to NCCL for this collective and algorithm
};
const char* explain(Verdict verdict);

struct Compared {
  Verdict verdict = Verdict::kNotMeasured;
  double gain = 0;           // both placements together, see ofPlacements()
  double low = 0, high = 0;  // simultaneous bounds over all arms and sizes of the sweep
  double needed = 0;         // what `low` has to exceed
};

struct Comparison {
  std::vector<std::vector<Compared>> cells;  // by series (the default's own row is empty of meaning) and size
  std::vector<double> detectable;            // by size: minimum detectable difference with the most repeated arm
  std::vector<double> spread;                // by size: noise of a single run, relative
};

// REQUIRES: sweep.byDefault()
Comparison compare(const Sweep& sweep, const LearnOptions& options);

}  // namespace polyrail::cli
