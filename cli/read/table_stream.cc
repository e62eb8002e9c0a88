// SPDX-License-Identifier: Apache-2.0
#include "cli/read/table_stream.h"

namespace polyrail::read {

// More distinct choices than any sweep has; what is beyond is counted in the run's problems.
constexpr size_t kMostWaiting = 4096;

void TableStream::restart() {
  facts_ = RunFacts{};
  facts_.run.file = file_;
  rows_ = RowAssembler{};
  waiting_.clear();
}

void TableStream::addRow() {
  const Row& row = rows_.row();
  facts_.rows++;
  if (facts_.run.line == 0) facts_.run.line = row.line;
  RowText& text = rows_.text();
  text.testName = facts_.testName;
  text.ncclVersion = facts_.versionLine;
  if (facts_.needsShape()) facts_.shape.add(row, text);
  if (!waiting_.empty()) placeWaiting();
  sink_.onRow(facts_.run, row, text);
}

bool TableStream::place(const ChoiceLine& line, uint64_t lines) {
  std::optional<nccl::Collective> collective = line.collective;
  if (!collective) collective = nccl::parseCollective(facts_.collectiveName());
  if (!collective) return false;
  std::optional<LoggedChoice> choice = asChoice(line, *collective, facts_.ranks());
  if (!choice) return false;
  choice->lines = lines;
  facts_.choices++;
  sink_.onChoice(facts_.run, *choice);
  return true;
}

void TableStream::addChoice(const ChoiceLine& choice, uint64_t lines) {
  facts_.sawLog = true;
  if (place(choice, lines)) return;
  if (waiting_.size() < kMostWaiting)
    waiting_.push_back({choice, lines});
  else
    facts_.unplacedChoices += lines;
}

void TableStream::placeWaiting() {
  std::vector<Waiting> waiting = std::move(waiting_);
  waiting_.clear();
  for (const Waiting& w : waiting)
    if (!place(w.choice, w.lines)) waiting_.push_back(w);
}

bool TableStream::endRun() {
  rows_.giveUp();
  placeWaiting();
  for (const Waiting& w : waiting_) facts_.unplacedChoices += w.lines;
  facts_.lostRows = rows_.lost();
  facts_.firstLostRow = rows_.firstLost();
  const bool keep = facts_.worthKeeping();
  if (keep) {
    conclude(facts_);
    sink_.onRunEnd(std::move(facts_.run));
  }
  restart();
  return keep;
}

}  // namespace polyrail::read
