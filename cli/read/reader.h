// SPDX-License-Identifier: Apache-2.0
// Reads the results of nccl-tests: text of every version since 2021 with NCCL's log lines between and inside the
// rows, and the JSON of its -J option. One pass, memory bounded whatever the size of the file or of a line; a
// malformed or cut file gives what is whole in it and says what is not. Values of environment variables are never
// kept, but for the NCCL_ and POLYRAIL_ names that steer a run. Functions may be called from any thread, on different
// sinks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/read/run_sink.h"
#include "common/status.h"

namespace polyrail {

struct ReadSummary {
  uint64_t bytes = 0, lines = 0, rows = 0, runs = 0;
  std::string reason;  // why there are no rows, one sentence; empty when there are
};

struct ReadOptions {
  // Called about once a megabyte with the bytes read so far; may be empty.
  std::function<void(uint64_t bytes)> progress;
};

// `path` may be "-" for standard input. Fails when it cannot be opened or read, with the path and the reason.
Result<ReadSummary> readRuns(const std::string& path, RunSink& sink, const ReadOptions& options = {});

// The same from memory; `name` stands for the file in what is reported.
ReadSummary readRunsFromText(std::string_view text, const std::string& name, RunSink& sink);

struct CollectedRuns {
  std::vector<Run> runs;  // with rows and choices
  ReadSummary summary;
};

// For files whose rows fit in memory. Choices are merged per run: one entry per distinct choice, in order of first
// appearance, `lines` counting its log lines.
Result<CollectedRuns> collectRuns(const std::string& path);
CollectedRuns collectRunsFromText(std::string_view text, const std::string& name);

}  // namespace polyrail
