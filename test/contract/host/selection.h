// SPDX-License-Identifier: Apache-2.0
// Which entry of the cost table NCCL runs, under the rule of each release. Pure functions.
#pragma once

#include <optional>

#include "test/contract/host/cost_table.h"

namespace polyrail::contract {

struct Pick {
  int algorithm;
  int protocol;
  float microseconds;  // what ncclGroupSimulateEnd would report
  bool operator==(const Pick&) const = default;
};

// NCCL 2.22 to 2.30 (src/enqueue.cc topoGetAlgoInfo): the first smallest entry that is not negative. Nothing when
// there is none: NCCL then fails the collective.
std::optional<Pick> pickFromTable(const CostTable& after);

// NCCL 2.31: only entries that were allowed before the plugin count; the last of equal ones wins, and a negative one
// is the smallest.
std::optional<Pick> pickFromList(const CostTable& before, const CostTable& after);

}  // namespace polyrail::contract
