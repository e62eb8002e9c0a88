// SPDX-License-Identifier: Apache-2.0
// From spans of measured sizes to half-open intervals of bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/learn/selection.h"

namespace polyrail::cli {

struct Interval {
  uint64_t from = 0, to = 0;  // [from, to), in the policy's unit
};

// One a span, in order. Two choices meet where their log times cross, interpolated over log size between the two
// measured sizes, and half way (by ratio) where they do not cross between them. The first begins at the smallest
// measured size; the last ends at sqrt(2) times the largest, as far as any measured size speaks beyond itself when
// sizes double; so does what comes before a gap, and what comes after it begins at its first measured size. Ends are
// rounded to a sixteenth of an octave: the data say no more.
std::vector<Interval> intervalsOf(const Sweep& sweep, const Comparison& comparison, const std::vector<Span>& spans);

}  // namespace polyrail::cli
