// SPDX-License-Identifier: Apache-2.0
// What a sweep has done, in its folder's journal.jsonl: the plan, then a line a run, on disk before the next one
// starts. A killed sweep reads it and goes on. One process at a time may hold a folder's journal (a lock says so);
// one thread.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/cells.h"
#include "common/status.h"

namespace polyrail::sweep {

struct Entry {
  std::string run;      // which question it answers; the same for each attempt
  std::string outcome;  // "ok", "failed", "timeout"
  std::string reason;   // why it is not ok
  std::string log;      // file, relative to the folder
  double seconds = 0;
  std::vector<Sample> times;  // of one that is ok
};

class Journal {
 public:
  // Makes folder and journal, or reads what is there. Refuses a journal of another plan (`plan` is compared but for
  // "timeout" and "attempts", which may change) and one that another process holds. A last line that was cut by a
  // kill is dropped; so are entries whose log is gone.
  static Result<Journal> open(const std::string& folder, const nlohmann::ordered_json& plan);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  // The next recorded answer to this question, in the order in which they were given; each comes once.
  std::optional<Entry> recall(const std::string& run);
  // Appends and syncs. The error names the file.
  Status add(const Entry& entry);
  size_t entries() const { return count_; }  // recorded in all
  const std::string& folder() const { return folder_; }

 private:
  Journal(std::string folder, int file) : folder_(std::move(folder)), file_(file) {}
  Status append(const nlohmann::ordered_json& line);
  Status load(const std::string& text, const nlohmann::ordered_json& plan);
  void remember(const nlohmann::ordered_json& line);

  std::string folder_;
  int file_ = -1;
  size_t count_ = 0;
  std::map<std::string, std::deque<Entry>> known_;
};

}  // namespace polyrail::sweep
