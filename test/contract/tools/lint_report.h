// SPDX-License-Identifier: Apache-2.0
// What net-lint prints: a line a case as it ends, with the findings of a failed one, and a count; or all of it as
// JSON at the end. One thread.
#pragma once

#include <nlohmann/json.hpp>

#include "test/contract/host/net_cases.h"

namespace polyrail::contract {

class LintReport {
 public:
  LintReport(bool json, bool chatty) : json_(json), chatty_(chatty) {}
  void add(const NetCase& netCase, int version, const CaseResult& result);
  bool empty() const { return all_.empty(); }
  // The end of the report; the exit status.
  int end() const;

 private:
  bool json_, chatty_;  // chatty: what the plugin said is printed whole, of passed cases too
  size_t failed_ = 0, skipped_ = 0;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

}  // namespace polyrail::contract
