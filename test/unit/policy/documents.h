// SPDX-License-Identifier: Apache-2.0
// Small documents that the tests of the parser and of the schema share.
#pragma once

#include <string>

namespace polyrail::test {

inline std::string withTables(const std::string& tables) {
  return R"({"polyrail_policy": 1, "tables": [)" + tables + "]}";
}

inline std::string withRules(const std::string& rules) {
  return withTables(R"({"collective": "allreduce", "size": "total_bytes", "rules": [)" + rules + "]}");
}

// One rule over all sizes, with more members, such as R"(, "pipe_ops": 1)".
inline std::string withRule(const std::string& members, const std::string& sizes = R"("from": 0, "to": null)") {
  return withRules("{" + sizes + R"(, "choices": [{"algorithm": "ring", "protocol": "ll"}])" + members + "}");
}

inline std::string withChoice(const std::string& choice) {
  return withRules(R"({"from": 0, "to": null, "choices": [)" + choice + "]}");
}

}  // namespace polyrail::test
