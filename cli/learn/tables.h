// SPDX-License-Identifier: Apache-2.0
// From decisions about single sweeps to the tables of a policy, and to the node counts between. Pure; any thread.
#pragma once

#include <vector>

#include "cli/learn/decision.h"

namespace polyrail::cli {

// What was decided for one sweep, with what its table has to say about it.
struct DecidedSweep {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t nodes = 0, ranksPerNode = 0;
  std::optional<int> pool;
  std::vector<Rule> rules;
};

// One table for every sweep with rules. Between two neighbouring measured node counts with equal ranks per node,
// where the larger is at most four times the smaller (so that nothing is further than a factor of 2 from a
// measurement): a table for the counts between, with what both ends agree on, and the weaker evidence of the two.
// Ranks per node are never generalised: they change the intra-node topology.
std::vector<Table> buildTables(std::vector<DecidedSweep> sweeps);

}  // namespace polyrail::cli
