// SPDX-License-Identifier: Apache-2.0
// What a sweep and a verification found, for people and as JSON. Stateless.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/sweep/verify.h"

namespace polyrail::sweep {

// On standard output.
void printFindings(const Findings& findings);
void printVerified(const std::vector<VerifiedField>& fields);

nlohmann::ordered_json toJson(const Findings& findings);
nlohmann::ordered_json toJson(const std::vector<VerifiedField>& fields);

// A line on standard error after each run: one that replaces itself on a terminal, one after the other elsewhere.
// Failures stay on the terminal, too.
std::function<void(const Step&)> stepTeller();

}  // namespace polyrail::sweep
