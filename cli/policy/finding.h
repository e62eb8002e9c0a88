// SPDX-License-Identifier: Apache-2.0
// What `polyrail check` has to say about a policy. Plain values.
#pragma once

#include <string>
#include <vector>

#include "common/policy/place.h"

namespace polyrail {

// An error is something that should not be switched on; a warning is probably not what was meant; a note is worth
// knowing.
enum class Severity { kNote, kWarning, kError };

const char* name(Severity severity);

struct Finding {
  Severity severity = Severity::kNote;
  const char* check = "";  // stable short name, "shadowed-rule"; documented in docs/policy-format.md
  PolicyPlace place;
  std::string message;
  std::string remedy;  // empty where there is nothing to do
};

using Findings = std::vector<Finding>;

}  // namespace polyrail
