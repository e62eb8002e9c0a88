// SPDX-License-Identifier: Apache-2.0
// A view as JSON, after docs/polyrail-top.schema.json. Stateless.
#pragma once

#include "cli/output/json.h"
#include "cli/top/view.h"

namespace polyrail::cli {

nlohmann::ordered_json topJson(const TopView& view);

}  // namespace polyrail::cli
