// SPDX-License-Identifier: Apache-2.0
// What all ranks of a communicator know alike about it, and therefore all that may decide which rules fit. A plain
// value made by an adapter at init; any thread may read one. Nothing of a host, a rank or the time belongs here.
#pragma once

#include <cstdint>
#include <optional>

#include "common/policy/policy.h"

namespace polyrail {

// NVLink domains as NCCL counts them; told from ABI v5 on.
struct NvlDomains {
  uint64_t count = 0;
  uint64_t minRanks = 0;  // of the smallest domain
  uint64_t maxRanks = 0;  // of the largest
  bool operator==(const NvlDomains&) const = default;
};

struct Shape {
  uint64_t ranks = 0;
  uint64_t nodes = 0;
  std::optional<NvlDomains> nvl;
  int abi = 0;  // version of the tuner ABI; it stands for what NCCL's version can do
  bool operator==(const Shape&) const = default;
};

// True when a table with this layout is valid for the communicator. Never for uneven nodes (ranks % nodes != 0), nor
// when the layout speaks of NVLink domains and they are unknown or not all inside its range.
bool fits(const Layout& layout, const Shape& shape);

}  // namespace polyrail
