// SPDX-License-Identifier: Apache-2.0
// From what was learned to a policy that says who learned it from what. Pure, but for the clock in learnedAt().
#pragma once

#include "cli/learn/context.h"
#include "cli/learn/learn.h"

namespace polyrail::cli {

struct PolicyLabels {
  std::string name, cluster, nic;
  std::string learnedAt;  // ISO 8601 UTC
};

Policy buildPolicy(const Learned& learned, const Context& context, const std::vector<std::string>& files,
                   const PolicyLabels& labels, const LearnOptions& options);

// Now, or SOURCE_DATE_EPOCH if that is set, so that equal inputs can give equal bytes.
std::string timeStamp();

}  // namespace polyrail::cli
