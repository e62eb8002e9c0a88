// SPDX-License-Identifier: Apache-2.0
// How every verb prints JSON. Stateless.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace polyrail::cli {

// Indented by two, no newline at the end. File names and environment values may be no UTF-8, on which dump() would
// throw: such bytes become U+FFFD.
inline std::string jsonText(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// The same on one line, for streams of values.
inline std::string jsonLine(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace polyrail::cli
