// SPDX-License-Identifier: Apache-2.0
// The '#' lines that nccl-tests prints around a table. Stateless but for the facts it fills.
#pragma once

#include "cli/read/run_facts.h"

namespace polyrail::read {

enum class HeaderPart { kNone, kVersion, kStart, kSettings, kDevice, kColumns, kOutOfBounds, kAverage, kConcluded };

struct HeaderLine {
  HeaderPart part = HeaderPart::kNone;
  std::string_view content;  // what follows the words that tell the part
};

// Finds the part in a line, whatever stands before its '#'; the '#' of the column titles may be missing.
HeaderLine findHeader(std::string_view line);

// True when the part can only belong to another run than the one that `facts` describes.
bool beginsAnotherRun(const RunFacts& facts, HeaderPart part);

void takeHeader(RunFacts& facts, const HeaderLine& header);

}  // namespace polyrail::read
