// SPDX-License-Identifier: Apache-2.0
// Why no rule of a policy fits a question: the nearest miss, in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/explanation.h"

namespace polyrail::cli {

// "2..16 nodes of 8 ranks".
std::string describeLayout(const Layout& layout);

// "1 node", "2 nodes".
std::string counted(uint64_t n, const char* what);

// "64 KiB up to 1 MiB", "from 1 MiB on", "any size".
std::string describeSizes(uint64_t from, uint64_t to);

// REQUIRES: no rule of the policy fits. At least one sentence.
std::vector<std::string> nearestMiss(const Policy& policy, const ExplainQuestion& question);

}  // namespace polyrail::cli
