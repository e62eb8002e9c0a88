// SPDX-License-Identifier: Apache-2.0
// The learner's whole way, from files to a policy: what `polyrail learn` and `polyrail sweep --learn` do. One thread.
#pragma once

#include "cli/learn/policy_builder.h"
#include "cli/store/gather.h"

namespace polyrail::cli {

struct LearnRequest {
  std::vector<std::string> inputs;
  GatherOptions gather;
  LearnOptions learn;
  PolicyLabels labels;  // learnedAt also dates what a store keeps
  std::string context;  // learn only from the context that contains this text; "" when there is but one
};

struct LearnedFiles {
  Gathered gathered;
  Context context;
  Learned learned;
  Policy policy;
  std::vector<std::string> notes;  // what was left aside, and why
};

// Shows its progress on a terminal. The error is of the input: a file, or contexts that cannot be pooled.
Result<LearnedFiles> learnFromFiles(const LearnRequest& request);

}  // namespace polyrail::cli
