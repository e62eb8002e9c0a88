// SPDX-License-Identifier: Apache-2.0
// Where the reader puts what it finds, as it finds it, so that nothing has to fit in memory. One sink serves one
// thread; the reader calls it from the thread that reads. References and views are valid during the call only.
#pragma once

#include <string_view>

#include "cli/data/run.h"

namespace polyrail {

// The fields of a row as the file spells them, in the order of its columns; empty where there is no such column.
// Two things differ from the values in Row: `redop` and `root` are the words between type and time in their order
// (old Broadcast tables have no redop column, so its root stands in `redop`), and `wrong` may begin with the value
// and end with the digits of a host name that a log line glued to it.
struct RowText {
  std::string_view testName;     // "# Collective test starting:" without "_perf"; empty when not said before the row
  std::string_view ncclVersion;  // of an "NCCL version" line before the row
  std::string_view size, count, type, redop, root;
  std::string_view time[2], algBw[2], busBw[2], wrong[2];  // 0: out-of-place, 1: in-place
  bool gluedWrong = false;                                 // a `wrong` here has foreign digits at its end
};

class RunSink {
 public:
  virtual ~RunSink() = default;
  // `run` has what is known so far; its `rows` and `choices` stay empty.
  virtual void onRow(const Run& run, const Row& row, const RowText& text);
  // Consecutive equal lines come as one choice; `choice.lines` counts them.
  virtual void onChoice(const Run& run, const LoggedChoice& choice);
  // Everything known, problems included; `rows` and `choices` are empty.
  virtual void onRunEnd(Run&& run);
};

}  // namespace polyrail
