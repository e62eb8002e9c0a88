// SPDX-License-Identifier: Apache-2.0
// What is probably wrong with a policy that is valid: rules that never hold, choices NCCL refuses, channels that
// never run, LL128 without evidence, sizes in the wrong unit. Pure functions of the policy; any thread. Each family
// of checks has its file, lint_*.cc; all are listed in lint.cc.
#pragma once

#include "cli/policy/finding.h"

namespace polyrail {

// In the order of the file, the whole policy first.
Findings lintPolicy(const Policy& policy);

// The families, for lint.cc.
void lintIdentity(const Policy& policy, Findings& out);
void lintOptions(const Policy& policy, Findings& out);
void lintShadows(const Policy& policy, Findings& out);
void lintSizes(const Policy& policy, Findings& out);
void lintLayouts(const Policy& policy, Findings& out);
void lintEvidence(const Policy& policy, Findings& out);
void lintChoices(const Policy& policy, Findings& out);
void lintChannels(const Policy& policy, Findings& out);

inline PolicyPlace placeOf(size_t table) { return {.constant = {}, .table = table, .rule = {}, .choice = {}}; }
inline PolicyPlace placeOf(size_t table, size_t rule, const char* key = "") {
  return {.constant = {}, .table = table, .rule = rule, .choice = {}, .key = key};
}

// Calls each(table, rule, place) for every rule.
template <typename Each>
void forEachRule(const Policy& policy, Each each) {
  for (size_t t = 0; t < policy.tables.size(); t++)
    for (size_t r = 0; r < policy.tables[t].rules.size(); r++)
      each(policy.tables[t], policy.tables[t].rules[r], placeOf(t, r));
}

// Calls each(table, rule, choice, place) for every choice.
template <typename Each>
void forEachChoice(const Policy& policy, Each each) {
  forEachRule(policy, [&](const Table& table, const Rule& rule, PolicyPlace place) {
    for (size_t c = 0; c < rule.choices.size(); c++) {
      place.choice = c;
      each(table, rule, rule.choices[c], place);
    }
  });
}

}  // namespace polyrail
