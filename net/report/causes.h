// SPDX-License-Identifier: Apache-2.0
// From what was seen to what is likely the cause: one table, most telling rows first. Pure functions of the evidence;
// any thread.
#pragma once

#include <string_view>
#include <vector>

#include "net/report/evidence.h"

namespace polyrail::net {

struct Cause {
  std::string_view name;  // "link-down", for tests and scripts
  std::string text;       // one clause: what, and where
  std::string next;       // what to run or to look at
};

// All that fit the evidence, the likeliest first; never empty.
std::vector<Cause> likelyCauses(const Evidence& evidence);

}  // namespace polyrail::net
