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
  Forced forced;  // the table was printed under these filters
};

// From the first run of the file that has a cost table. The error says what to set when none has.
Result<LogFacts> readLogFacts(const std::string& path);

}  // namespace polyrail::cli
