// SPDX-License-Identifier: Apache-2.0
// What `polyrail perf` found, for people and for programs. Stateless.
#pragma once

#include "cli/output/json.h"
#include "cli/perf/measure.h"

namespace polyrail::cli {

void printPerf(const PerfReport& report);
nlohmann::ordered_json perfJson(const PerfReport& report);

}  // namespace polyrail::cli
