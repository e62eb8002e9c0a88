// SPDX-License-Identifier: Apache-2.0
// A sweep's plan as JSON. docs/sweep.md describes the keys. Pure but for the file; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/sweep/plan.h"

namespace polyrail::sweep {

// Unknown keys are errors, except "comment", "$schema" and those that begin with "x-". What is absent keeps its
// default. Errors: "PLACE:LINE: PATH: reason". Types and names only; values are for checkPlan().
Result<Plan> parsePlan(std::string_view json, std::string_view place);
Result<Plan> loadPlan(const std::string& path);

// All of it, defaults too; parsePlan() reads it back.
nlohmann::ordered_json planJson(const Plan& plan);

}  // namespace polyrail::sweep
