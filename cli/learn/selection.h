// SPDX-License-Identifier: Apache-2.0
// From verdicts to one choice a size, with as few changes as the times allow. Pure; any thread.
#pragma once

#include <vector>

#include "cli/learn/comparison.h"

namespace polyrail::cli {

// Measured sizes further apart than this factor are not neighbours: nothing is said about what lies between.
inline constexpr uint64_t kWidestGap = 16;

// A run of neighbouring measured sizes with one choice.
struct Span {
  size_t series = 0;           // index into Sweep::series; 0 is NCCL's default
  size_t first = 0, last = 0;  // size indices, both included
  bool operator==(const Span&) const = default;
};

// The cheapest path through the sizes, by dynamic programming: time lost against the best choice of a size, where
// choices that are equal within the noise lose nothing; a price on channels, because they take multiprocessors from
// the computation; a price on every change. Only arms that win at a size are open there, or that win at both its
// neighbours and are not contradicted by it. Spans cover all sizes; at most options.maxRules are not the default.
// Sizes that are not neighbours are never in one span. REQUIRES: sweep.byDefault()
std::vector<Span> selectSpans(const Sweep& sweep, const Comparison& comparison, const LearnOptions& options);

}  // namespace polyrail::cli
