// SPDX-License-Identifier: Apache-2.0
// What a reader of an explanation must know to use it rightly: assumptions, limits that bite, dangers. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/explanation.h"

namespace polyrail::cli {

// One sentence each, the weightiest first. REQUIRES: all else in the explanation is filled in.
std::vector<std::string> explanationNotes(const Explanation& e);

// "tree/ll128".
std::string entryName(nccl::Algorithm a, nccl::Protocol p);

}  // namespace polyrail::cli
