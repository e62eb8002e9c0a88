// SPDX-License-Identifier: Apache-2.0
// Which entry NCCL takes from a cost table once the tuner has edited it: the two rules there are. Until 2.30
// (2.22.3 to 2.30.7, src/enqueue.cc topoGetAlgoInfo) every entry counts that is not negative; 2.31 keeps a list of
// the entries it had filled itself and reads only those back, but takes any number there. A table is numAlgorithms
// rows of `protocols` floats, contiguous, as the tuner sees it. Pure; any thread.
#pragma once

#include <optional>
#include <span>

namespace polyrail::nccl {

enum class SelectionRule { kUntil230, kFrom231 };

struct Selection {
  int algorithm = 0, protocol = 0;  // NCCL's numbers
  float cost = 0;
  bool operator==(const Selection&) const = default;
};

// Least cost; among equals the lowest algorithm, then protocol. Negative, NaN and FLT_MAX never win. Absent when
// nothing can: NCCL then fails the collective.
std::optional<Selection> selectUntil230(std::span<const float> table, int protocols);

// Least cost among the entries that were not negative in `before`, as NCCL filled it; among equals the last. A
// negative number that a tuner writes there wins: that is no way to disable an entry.
std::optional<Selection> selectFrom231(std::span<const float> before, std::span<const float> after, int protocols);

// REQUIRES: equal lengths.
std::optional<Selection> select(SelectionRule rule, std::span<const float> before, std::span<const float> after,
                                int protocols);

}  // namespace polyrail::nccl
