// SPDX-License-Identifier: Apache-2.0
// The learner: sweeps of one context in, a policy and the reasons for it out. Deterministic: equal sweeps and options
// give equal results. Pure; works on all processors.
#pragma once

#include <functional>

#include "cli/learn/decision.h"
#include "cli/learn/inversions.h"
#include "cli/learn/options.h"

namespace polyrail::cli {

struct Learned {
  std::vector<Table> tables;
  std::vector<Decision> decisions;  // by sweep, then size
  std::vector<Inversion> inversions;
};

// `progress` is called after each sweep with how many are done, one call at a time, from any thread; it may be empty.
Learned learn(const std::vector<Sweep>& sweeps, const LearnOptions& options,
              const std::function<void(size_t done)>& progress = {});

}  // namespace polyrail::cli
