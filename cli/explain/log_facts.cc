// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/log_facts.h"

#include <fmt/format.h>

#include "cli/read/reader.h"
#include "common/nccl/version.h"

namespace polyrail::cli {

Result<LogFacts> readLogFacts(const std::string& path) {
  const Result<CollectedRuns> read = collectRuns(path);
  if (!read.ok()) return read.status();
  for (const Run& run : read.value().runs) {
    if (!run.costTable) continue;
    return LogFacts{*run.costTable, run.collChannels, nccl::parseVersion(run.ncclVersion),
                    run.ranks,      run.nodes,        run.forced};
  }
  return Status::error(
      fmt::format("{}: there is no cost table of NCCL in it; rank 0 prints one with NCCL_DEBUG=INFO "
                  "NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING",
                  path));
}

}  // namespace polyrail::cli
