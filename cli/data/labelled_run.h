// SPDX-License-Identifier: Apache-2.0
// A run with what only its owner knows about it. A plain value.
#pragma once

#include <string>

#include "cli/data/run.h"

namespace polyrail::cli {

struct LabelledRun {
  Run run;
  std::string label;   // the campaign it belongs to, as the user named it; "" for none
  std::string digest;  // SHA-256 of the file it was read from, in hex
};

}  // namespace polyrail::cli
