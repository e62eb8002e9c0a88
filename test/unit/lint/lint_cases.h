// SPDX-License-Identifier: Apache-2.0
// Policies for the tests of the lints, short to write down, and what was found in them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/policy/lint.h"

namespace polyrail::test {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

inline Rule ruleOf(uint64_t from, uint64_t to, std::vector<Choice> choices) {
  return {from, to, {}, {}, choices, {}};
}
inline Choice choiceOf(Algorithm a, Protocol p, std::optional<int> channels = {}) { return {a, p, channels, {}, {}}; }
inline Choice ring() { return choiceOf(Algorithm::kRing, Protocol::kSimple); }

// 4 nodes with 8 ranks each unless said otherwise.
inline Table tableOf(Collective c, std::vector<Rule> rules, Layout layout = {{4, 4}, {8, 8}, {}, {}}) {
  return {c, layout, 32, rules};
}
inline Policy policyOf(std::vector<Table> tables) {
  Policy p;
  p.identity = {"", "H100", "ConnectX-7", "2.24.3", "2.30.7", "", {}};
  p.tables = tables;
  return p;
}
inline Policy oneTable(Collective c, std::vector<Rule> rules, Layout layout = {{4, 4}, {8, 8}, {}, {}}) {
  return policyOf({tableOf(c, rules, layout)});
}

// Where the named check found something: "tables[0].rules[1]"; empty when it found nothing.
inline std::vector<std::string> found(const Policy& policy, const std::string& check) {
  std::vector<std::string> places;
  for (const Finding& f : lintPolicy(policy))
    if (f.check == check) places.push_back(f.place.text());
  return places;
}

inline Severity severityOf(const Policy& policy, const std::string& check) {
  for (const Finding& f : lintPolicy(policy))
    if (f.check == check) return f.severity;
  ADD_FAILURE() << check << " found nothing";
  return Severity::kNote;
}

using Places = std::vector<std::string>;

}  // namespace polyrail::test
