// SPDX-License-Identifier: Apache-2.0
// What a policy would have cost on measured sweeps: size by size its choice's time, NCCL's default's and the best
// arm's. The choice is looked up in the snapshot that the tuner itself uses. Plain values; pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "cli/learn/sweep.h"
#include "common/policy/policy.h"
#include "common/status.h"

namespace polyrail::cli {

// Microseconds are medians over repeats, the geometric mean of the placements; NaN where nothing was measured.
struct EvalCell {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t ranks = 0, nodes = 0;
  uint64_t size = 0;          // in the policy's unit
  bool covered = false;       // a rule of the policy decides here
  std::optional<Arm> chosen;  // by the rule
  std::optional<Arm> best;    // nothing: the default
  double bestUs = 0;          // the oracle: the least of all arms, so noise makes it a little better than real
  double defaultUs = 0;       // the policy's where nothing is covered
  double policyUs = 0;

  double regret() const { return policyUs / bestUs - 1; }
  double defaultRegret() const { return defaultUs / bestUs - 1; }
  double overDefault() const { return policyUs / defaultUs - 1; }  // negative: faster than the default
};

// One a size at which at least two arms (the default among them) were measured. Fails only when the policy cannot be
// compiled.
Result<std::vector<EvalCell>> evaluate(const Policy& policy, const Sweep& sweep);

}  // namespace polyrail::cli
