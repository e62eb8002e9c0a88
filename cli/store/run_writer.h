// SPDX-License-Identifier: Apache-2.0
// Writes runs into the tables of a store, with statements prepared once. Lives within one transaction of one thread.
#pragma once

#include "cli/data/run.h"
#include "cli/store/database.h"

namespace polyrail::cli {

class RunWriter {
 public:
  explicit RunWriter(Database& database);
  Status write(int64_t fileId, const Run& run);

 private:
  void writeRun(int64_t fileId, const Run& run);
  void writeRow(int64_t run, size_t ordinal, const Row& row);
  void writeTime(int64_t run, size_t ordinal, bool inPlace, const Placement& placement);
  void writeChoices(int64_t run, const std::vector<LoggedChoice>& choices);
  void writeCosts(int64_t run, const CostModel& table);
  void writeProblems(int64_t run, const std::vector<std::string>& problems);

  Statement run_, row_, time_, choice_, cost_, problem_;
};

}  // namespace polyrail::cli
