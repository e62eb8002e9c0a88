// SPDX-License-Identifier: Apache-2.0
// What `polyrail rails` shows: this node as the net plugin sees it, with the same code. Plain values; one thread.
#pragma once

#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/device/fusion.h"
#include "net/device/limits.h"
#include "net/device/port.h"
#include "net/settings.h"

namespace polyrail::cli {

struct RailSurvey {
  net::NetSettings settings;
  std::string library;  // "libibverbs.so.1", or "/sys" for a recorded tree
  net::Enumeration found;
  std::string locality;                // where distances come from
  std::vector<net::FusedGroup> fused;  // devices of NCCL up to plugin ABI v8
  std::vector<std::string> fusionProblems;
  std::vector<std::vector<int>> siblings;  // of each port, nearest first: what may stand in when it fails
  std::vector<std::string> limits;         // this process' limits that are too low
};

// The error is one line: no verbs library, or verbs does not work, with the remedy.
Result<RailSurvey> surveyRails(const SysRoot& root);

}  // namespace polyrail::cli
