// SPDX-License-Identifier: Apache-2.0
// Many cells in a few numbers. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/eval/regret.h"

namespace polyrail::cli {

struct Spread {
  size_t count = 0;
  double mean = 0, p95 = 0, max = 0;
};
// Of the values that are numbers; all 0 without any.
Spread spreadOf(std::vector<double> values);

struct EvalSummary {
  size_t cells = 0, covered = 0;
  size_t unmeasured = 0;        // covered, but the rule's choice was not measured there, so its cost is not known
  Spread policy, byDefault;     // regret against the oracle, over the cells where both are known
  double saved = 0;             // geometric mean share of the default's time that the policy saves
  double worstOverDefault = 0;  // the most that the policy is slower than the default anywhere; at least 0
};
EvalSummary summarise(const std::vector<EvalCell>& cells);

struct EvalGroup {
  std::string name;
  std::vector<EvalCell> cells;
};
// By collective and layout, and by size rounded to powers of two; in order.
std::vector<EvalGroup> byLayout(const std::vector<EvalCell>& cells);
std::vector<EvalGroup> bySize(const std::vector<EvalCell>& cells);

}  // namespace polyrail::cli
