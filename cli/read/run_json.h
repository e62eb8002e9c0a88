// SPDX-License-Identifier: Apache-2.0
// A run as JSON: every field under its own name, absent where the file did not say it. Stateless.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/data/run.h"

namespace polyrail {

nlohmann::ordered_json runAsJson(const Run& run);

}  // namespace polyrail
