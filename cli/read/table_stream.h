// SPDX-License-Identifier: Apache-2.0
// One writer's tables, one after the other: the run that is being read, its unfinished row, and the choices that wait
// until the run's collective and ranks are known. Bounded memory; one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/read/choice_lines.h"
#include "cli/read/row_assembler.h"
#include "cli/read/run_facts.h"

namespace polyrail::read {

class TableStream {
 public:
  // `file` is what the runs are said to come from.
  TableStream(RunSink& sink, const std::string& file) : sink_(sink), file_(file) { restart(); }

  RunFacts& facts() { return facts_; }
  RowAssembler& rows() { return rows_; }
  std::string& label() { return label_; }
  std::string& prefix() { return prefix_; }  // what the label was made from

  // No table and no header yet: whatever comes may still become part of this run.
  bool untouched() const { return facts_.rows == 0 && !facts_.sawVersion && !facts_.sawStart && !facts_.sawSettings; }

  // Reports the row that rows() has just finished.
  void addRow();
  // A choice that `lines` equal lines reported.
  void addChoice(const ChoiceLine& choice, uint64_t lines);
  // Reports the run, if there is anything to report, and begins the next one. True when it was reported.
  bool endRun();
  // Begins the next run without reporting this one.
  void forget() { restart(); }

 private:
  void restart();
  bool place(const ChoiceLine& choice, uint64_t lines);
  void placeWaiting();

  struct Waiting {
    ChoiceLine choice;
    uint64_t lines;
  };

  RunSink& sink_;
  const std::string& file_;
  std::string label_, prefix_;
  RunFacts facts_;
  RowAssembler rows_;
  std::vector<Waiting> waiting_;
};

}  // namespace polyrail::read
