// SPDX-License-Identifier: Apache-2.0
// Order and overlap of one table's rules. Stateless.
#pragma once

#include "common/policy/place.h"

namespace polyrail {

// Rules must be sorted by `from`; two with the same conditions must not share a size; at most kMaxAlternates may.
// O(rules * kMaxAlternates).
std::optional<PolicyProblem> findOverlap(const Table& table, size_t tableIndex);

}  // namespace polyrail
