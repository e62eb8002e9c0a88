// SPDX-License-Identifier: Apache-2.0
// Whether a box of several ranges lies wholly inside the union of others. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "common/policy/policy.h"

namespace polyrail {

inline constexpr size_t kBoxSides = 7;
using Box = std::array<Range, kBoxSides>;

bool overlaps(const Box& a, const Box& b);

// Nothing when the answer would need more than a few hundred pieces. An empty side (min > max) makes a box empty,
// and an empty box is covered.
std::optional<bool> isCovered(const Box& box, std::span<const Box> by);

}  // namespace polyrail
