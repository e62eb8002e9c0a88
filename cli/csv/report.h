// SPDX-License-Identifier: Apache-2.0
// How `polyrail import` and `polyrail export` end: the result written, the remarks told, the exit code. One thread.
#pragma once

#include "cli/csv/row.h"

namespace polyrail {

struct Translation {
  std::string verb;    // "import"
  std::string source;  // the file that was read
  std::string target;  // "" for standard output
  std::string text;
  size_t rows = 0;
  Remarks remarks;
  bool json = false;  // remarks to standard output as JSON; REQUIRES: a target
};

// Exit codes: 0 everything could be said, 1 something was left out, 4 the result could not be written.
int finish(const Translation& done);

}  // namespace polyrail
