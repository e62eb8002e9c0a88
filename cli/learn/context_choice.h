// SPDX-License-Identifier: Apache-2.0
// Picks the one context to learn from. Pure; any thread.
#pragma once

#include "cli/learn/context.h"
#include "common/status.h"

namespace polyrail::cli {

struct ChosenContext {
  Context context;
  std::vector<const Run*> runs;  // borrowed from the argument
  std::vector<std::string> notes;
};

// The only context there is among runs with rows, or the only one whose description contains `wanted` (in any case).
// Several are an error that lists them: times of different hardware, NCCL versions or campaigns are not comparable.
Result<ChosenContext> chooseContext(const std::vector<LabelledRun>& runs, const std::string& wanted);

}  // namespace polyrail::cli
