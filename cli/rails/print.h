// SPDX-License-Identifier: Apache-2.0
// How a rail survey is shown, to people and to programs. Stateless.
#pragma once

#include "cli/output/json.h"
#include "cli/rails/survey.h"

namespace polyrail::cli {

void printRails(const RailSurvey& survey);
nlohmann::ordered_json railsJson(const RailSurvey& survey);

}  // namespace polyrail::cli
