// SPDX-License-Identifier: Apache-2.0
// Where measurements come from: files of nccl-tests output, folders of them, baseline stores. Each file counts once,
// told by its bytes, however often and under whatever names it is given. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/data/labelled_run.h"
#include "common/status.h"

namespace polyrail::cli {

struct GatherOptions {
  std::string store;    // keep what is read in this baseline store, and take all that is in it; "" for none
  std::string label;    // campaign of the files that are read now
  std::string addedAt;  // ISO 8601 UTC, for the store
  // What files that do not say it are taken to have; 0 or "" for nothing.
  uint64_t ranks = 0, nodes = 0;
  std::string gpu, ncclVersion;
  std::function<void(size_t done, size_t all)> progress;  // files; may be empty
};

struct Gathered {
  std::vector<LabelledRun> runs;
  std::vector<std::string> files;  // names without folders, of those with rows, in order
  std::vector<std::string> notes;  // what was passed over and why, one sentence each
  size_t rows = 0;
};

// Folders are searched through, in order of name; hidden files are passed over. A path that does not exist or cannot
// be read is an error; a file without rows is a note.
Result<Gathered> gatherRuns(const std::vector<std::string>& paths, const GatherOptions& options);

}  // namespace polyrail::cli
