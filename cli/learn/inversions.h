// SPDX-License-Identifier: Apache-2.0
// Where a bigger message is faster: NCCL's default leaves time on the table there, which measurements of the default
// alone show (Hunold's monotony guideline for collectives). Pure; any thread.
#pragma once

#include <vector>

#include "cli/learn/sweep.h"

namespace polyrail::cli {

struct Inversion {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t ranks = 0, nodes = 0;
  uint64_t size = 0, larger = 0;  // neighbouring measured sizes
  double us = 0, largerUs = 0;    // medians, geometric mean of the placements
};

// Neighbouring sizes where the larger takes at least 10 % less time in both placements, and more than noise explains.
std::vector<Inversion> findInversions(const Sweep& sweep);

}  // namespace polyrail::cli
