// SPDX-License-Identifier: Apache-2.0
// Lays intervals of unequal priority over one another and returns what shows on top. Used for message sizes, for
// group sizes (pipeOps) and for slices of a channel. Pure; any thread may call it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace polyrail {

// Closed: [first, last]. A `sheer` one lets what lies beneath show through: it holds only under a condition.
struct Interval {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  uint32_t id = 0;
  bool sheer = false;
};

// A stretch goes from `start` to the next one's start; the first begins at 0. What shows there are ids[begin, end),
// topmost first, the last of them the only one that may not be sheer. Neighbours differ.
struct Stretch {
  uint64_t start = 0;
  uint32_t begin = 0, end = 0;
};
struct Layers {
  std::vector<Stretch> stretches;
  std::vector<uint32_t> ids;
  std::span<const uint32_t> at(const Stretch& s) const { return std::span(ids).subspan(s.begin, s.end - s.begin); }
};

// Earlier intervals lie on top. Empty when more than `maxIds` ids would come out: sheer intervals that overlap
// without end would need memory that grows with the square of their number. O(n log n + ids). Throws bad_alloc.
std::optional<Layers> overlay(std::span<const Interval> intervals, size_t maxIds);

}  // namespace polyrail
