// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/log_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/explain/no_match.h"
#include "cli/read/reader.h"
#include "common/nccl/version.h"

namespace polyrail::cli {

std::string differences(const LogFacts& log, uint64_t ranks, uint64_t nodes) {
  std::vector<std::string> parts;
  const uint64_t r = log.ranks.value_or(ranks), n = log.nodes.value_or(nodes);
  if (r != ranks || n != nodes) parts.push_back(fmt::format("on {} and {}", counted(r, "rank"), counted(n, "node")));
  if (!log.forced.algorithm.empty()) parts.push_back("with NCCL_ALGO=" + log.forced.algorithm);
  if (!log.forced.protocol.empty()) parts.push_back("with NCCL_PROTO=" + log.forced.protocol);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<LogFacts> readLogFacts(const std::string& path) {
  const Result<CollectedRuns> read = collectRuns(path);
  if (!read.ok()) return read.status();
  for (const Run& run : read.value().runs) {
    if (!run.costTable) continue;
    return LogFacts{*run.costTable, run.collChannels, nccl::parseVersion(run.ncclVersion), run.ranks, run.nodes,
                    run.gpu,        run.forced};
  }
  return Status::error(
      fmt::format("{}: there is no cost table of NCCL in it; rank 0 prints one with NCCL_DEBUG=INFO "
                  "NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING",
                  path));
}

}  // namespace polyrail::cli
