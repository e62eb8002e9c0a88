// SPDX-License-Identifier: Apache-2.0
// An explanation for people and for programs.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/explain/explanation.h"

namespace polyrail::cli {

// What the explanation itself does not hold.
struct PolicyLabel {
  std::string path, digest, name;
};

void printExplanation(const Explanation& e, const PolicyLabel& policy, std::FILE* out);

nlohmann::ordered_json explanationJson(const Explanation& e, const PolicyLabel& policy);

// "decided", "no rule", "not allowed", "guarded".
const char* outcomeName(Outcome outcome);

}  // namespace polyrail::cli
