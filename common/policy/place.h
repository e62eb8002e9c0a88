// SPDX-License-Identifier: Apache-2.0
// Where in a policy something is: a table, a rule of it, a choice of that. Plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/policy/json_tree.h"
#include "common/policy/policy.h"

namespace polyrail {

struct PolicyPlace {
  std::optional<size_t> constant;
  std::optional<size_t> table, rule, choice;  // each only with the one before it
  const char* key = "";                       // of the innermost object named; "" for the object itself
  // "tables[0].rules[3].choices[0].channels", as JSON path of the file; "" for the whole policy.
  std::string text() const;
};

// The line of the file on which it is; of its nearest ancestor when the file does not write it.
uint32_t lineOf(const JsonTree& tree, const PolicyPlace& place);

struct PolicyProblem {
  PolicyPlace place;
  std::string reason;  // with the remedy
};

// What makes a policy unusable although each value has the right type: ranges, order, overlaps, combinations NCCL has
// no kernel for. The first found.
std::optional<PolicyProblem> findProblem(const Policy& policy);

}  // namespace polyrail
