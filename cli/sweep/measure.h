// SPDX-License-Identifier: Apache-2.0
// One measurement: starts the benchmark (or recalls from the journal that it has run), reads its log, and judges
// whether what it says counts. Logs that count lie in the folder's logs/, where `polyrail learn` takes them from, the
// others in failed/. One thread.
#pragma once

#include "cli/sweep/command.h"
#include "cli/sweep/journal.h"

namespace polyrail::sweep {

struct Question {
  std::string name;  // unlike any other of the sweep
  Start start;
  std::optional<cli::Arm> arm;  // that has to run; nothing: NCCL's own choice or a policy's
};

struct Answer {
  Entry entry;
  bool recalled = false;  // it ran before this process did
  bool ok() const { return entry.outcome == "ok"; }
};

// The message when a signal ended the run: that is no failure of it and is not recorded.
inline constexpr char kInterrupted[] = "interrupted";

// The error is of the folder or of the start, or kInterrupted; a run that fails is an answer.
Result<Answer> measure(const Plan& plan, const Question& question, Journal& journal);

// What the log says, size by size; an error says why it does not count: no or too few rows, wrong results, another
// arm than was asked for. Sizes are matched by their order, else within 1 %, as nccl-tests rounds them.
Result<std::vector<Sample>> timesIn(const std::string& log, const Question& question);

// The sizes of a start: first, first * factor, ...
std::vector<uint64_t> sizesOf(const Start& start);

}  // namespace polyrail::sweep
