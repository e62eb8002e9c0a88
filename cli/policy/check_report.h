// SPDX-License-Identifier: Apache-2.0
// `polyrail check` for one file: load, lint, compare with the machine, and how that is told. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/policy/finding.h"
#include "common/policy/policy_file.h"
#include "common/sysroot.h"

namespace polyrail {

struct LocatedFinding {
  Finding finding;
  uint32_t line = 0;  // 0: about the whole file
};

struct CheckReport {
  std::string path;
  std::string error;  // why the file is no policy; then all that follows is empty
  std::string digest, name;
  std::vector<LocatedFinding> findings;
  size_t count(Severity severity) const;
};

// Findings below `least` are left out.
CheckReport checkPolicyFile(const std::string& path, const SysRoot& root, Severity least);

// Lines as compilers write them, "FILE:LINE: warning: PLACE: message; remedy [check]", and a summary.
std::string toText(const CheckReport& report, bool colour);
nlohmann::ordered_json toJson(const CheckReport& report);

}  // namespace polyrail
