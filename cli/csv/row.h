// SPDX-License-Identifier: Apache-2.0
// One line of the file that NVIDIA's example tuner reads (plugins/tuner/example, NCCL 2.30.7; ext-tuner/example
// before 2.28): collective,min,max,algo,proto,channels,nNodes,nRanks[,numPipeOps[,regBuff]], -1 for any. Plain
// values; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/policy/policy.h"

namespace polyrail {

// What cannot be said in the other format. `line` is of the file that is read, 0 for all of it.
struct Remark {
  size_t line = 0;
  std::string text;
  bool lost = true;  // something is left out or decides differently; false: worth knowing only
};
using Remarks = std::vector<Remark>;

struct CsvRow {
  size_t line = 0;
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t min = 0, max = kNoLimit;  // bytes of the whole message; both belong to the row
  Choice choice;                     // without chunk and time
  std::optional<uint64_t> nodes, ranks, pipeOps;
  std::optional<bool> regBuff;
};

// Nothing for a comment, an empty line or a heading, and with a remark for a line that cannot be a rule. The example
// tuner would take unknown words for allreduce, ring or simple, and text for the number 0; that is never meant.
std::optional<CsvRow> parseCsvRow(std::string_view text, size_t line, Remarks& remarks);

// Without a line end.
std::string toCsv(const CsvRow& row);

}  // namespace polyrail
