// SPDX-License-Identifier: Apache-2.0
// How well the learner does where it has not measured: it learns again without some of the data and is judged on just
// that. Deterministic; uses all processors.
#pragma once

#include <vector>

#include "cli/eval/regret.h"
#include "cli/learn/options.h"

namespace polyrail::cli {

// Without one size at a time (never the smallest or largest: nothing is learned outside the measured range).
Result<std::vector<EvalCell>> leaveSizesOut(const std::vector<Sweep>& sweeps, const LearnOptions& options);

// Without one communicator shape at a time, where there is another of the same collective and ranks per node.
Result<std::vector<EvalCell>> leaveShapesOut(const std::vector<Sweep>& sweeps, const LearnOptions& options);

}  // namespace polyrail::cli
