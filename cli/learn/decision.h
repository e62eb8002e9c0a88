// SPDX-License-Identifier: Apache-2.0
// What was decided for one size interval of one sweep, for people and for JSON; a rule of the policy where a choice
// was made, a reason where it was not. Plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/learn/comparison.h"
#include "cli/learn/intervals.h"
#include "common/policy/policy.h"

namespace polyrail::cli {

struct Decision {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t ranks = 0, nodes = 0;
  Interval bytes;
  std::optional<Rule> rule;  // absent: NCCL's default stays
  std::string reason;        // one clause
};

// One a span, in order of size. Never empty for a sweep with sizes.
std::vector<Decision> decide(const Sweep& sweep, const LearnOptions& options);

}  // namespace polyrail::cli
