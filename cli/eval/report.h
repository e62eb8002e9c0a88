// SPDX-License-Identifier: Apache-2.0
// An evaluation for people and for programs. One thread.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/eval/summary.h"

namespace polyrail::cli {

struct Evaluation {
  std::vector<EvalCell> cells;
  // Of the learner, not of the policy; empty when it was not asked for or there is nothing to leave out.
  std::vector<EvalCell> withoutSizes, withoutShapes;
};

void printEvaluation(const Evaluation& evaluation, bool everyCell, bool colour);
nlohmann::ordered_json asJson(const Evaluation& evaluation);

}  // namespace polyrail::cli
