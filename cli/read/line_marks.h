// SPDX-License-Identifier: Apache-2.0
// One pass over a line that tells what it may be worth looking for: the lines of a log that matter are few, and most
// of the rest can be dismissed without asking every reader of it. Stateless; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "cli/read/row_grammar.h"

namespace polyrail::read {

struct LineMarks {
  std::optional<Preamble> row;  // the scan ends where it finds one: the other marks are not complete then
  bool header = false;          // words of a header behind a tag
  bool program = false;         // "_perf"
  bool variable = false;        // "NCCL_"
  bool json = false;            // a '{' and the name that results as JSON begin with
  bool failure = false;         // one of the words that failures are reported with
};

LineMarks scanLine(std::string_view line);

}  // namespace polyrail::read
