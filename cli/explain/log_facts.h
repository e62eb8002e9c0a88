// SPDX-License-Identifier: Apache-2.0
// What a log of NCCL says about the machine and the communicator, as far as it changes NCCL's own choice.
#pragma once

#include <optional>
#include <string>

#include "cli/data/run.h"
#include "common/status.h"

namespace polyrail::cli {

struct LogFacts {
  CostModel table;
  std::optional<int> pool;
  std::optional<int> version;
  std::optional<uint64_t> ranks, nodes;
  std::string gpu;
  Forced forced;  // the table was printed under these
};

// What about the run that printed the table is not as asked, as "on 6 ranks and 1 node, with NCCL_ALGO=Ring"; "" when
// nothing is. A table holds for one communicator and its filters only.
std::string differences(const LogFacts& log, uint64_t ranks, uint64_t nodes);

// From the first run of the file that has a cost table. The error says what to set when none has.
Result<LogFacts> readLogFacts(const std::string& path);

}  // namespace polyrail::cli
