// SPDX-License-Identifier: Apache-2.0
#include "cli/read/text_reader.h"

#include <fmt/format.h>

#include <cstring>

#include "cli/read/failures.h"
#include "cli/read/json_reader.h"
#include "cli/read/labels.h"
#include "cli/read/log_messages.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Where NCCL's own "NCCL INFO ", "NCCL WARN " or "NCCL version " stands; kNone for other lines.
size_t findNccl(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* p = begin; end - p >= 12;) {
    p = static_cast<const char*>(std::memchr(p, 'N', static_cast<size_t>(end - p) - 11));
    if (p == nullptr) return kNone;
    if (p[1] == 'C' && p[2] == 'C' && p[3] == 'L' && p[4] == ' ' && (p[5] == 'I' || p[5] == 'W' || p[5] == 'v'))
      return static_cast<size_t>(p - begin);
    p++;
  }
  return kNone;
}

// Only a piece of a row has two spaces in a row before a log line. Eight positions at a time.
bool mayHoldRow(std::string_view prefix) {
  constexpr uint64_t kSpaces = 0x2020202020202020, kLow = 0x0101010101010101, kHigh = 0x8080808080808080;
  size_t i = 0;
  for (; i + 9 <= prefix.size(); i += 8) {
    uint64_t here, next;
    std::memcpy(&here, prefix.data() + i, 8);
    std::memcpy(&next, prefix.data() + i + 1, 8);
    const uint64_t zeroAtPair = (here ^ kSpaces) | (next ^ kSpaces);
    if (((zeroAtPair - kLow) & ~zeroAtPair & kHigh) != 0) return true;
  }
  for (; i + 1 < prefix.size(); i++)
    if (prefix[i] == ' ' && prefix[i + 1] == ' ') return true;
  return false;
}

// "AllReduce: ", "Broadcast: ", "Reduce...: ", or the number of bytes.
bool mayBeChoice(std::string_view message) {
  const char first = message.empty() ? '\0' : message[0];
  return first == 'A' || first == 'B' || first == 'R' || (first >= '0' && first <= '9');
}

}  // namespace

TextReader::TextReader(RunSink& sink, std::string file) : sink_(sink), file_(std::move(file)) {
  tables_.push_back(std::make_unique<TableStream>(sink_, file_));
  current_ = tables_.front().get();
}

size_t TextReader::take(const Line& line) {
  json_ = nullptr;
  context_.line = line.number;
  context_.firstLine = line.number == 1;
  context_.endsHere = line.endsFile;
  std::string_view text = line.text;
  const bool escaped = line.hasEscape && text.find('\x1b') != kNone;
  if (escaped) text = withoutEscapes(text, scratch_);
  while (!text.empty()) text = takePart(text);
  return json_ == nullptr || escaped ? kNone : static_cast<size_t>(json_ - line.text.data());
}

RunFacts TextReader::handOver() {
  flushChoice();
  if (current_->facts().rows > 0) endRun(*current_);
  surroundings_.begin(current_->facts());
  RunFacts facts = current_->facts();
  current_->forget();
  return facts;
}

// Takes one thing off the front of the line and returns what follows it.
std::string_view TextReader::takePart(std::string_view text) {
  const size_t nccl = findNccl(text);
  std::string_view rest;
  if (nccl != kNone) {
    if (mayHoldRow(text.substr(0, nccl))) {
      if (resumeRow(text, &rest)) return rest;
      const std::optional<Preamble> row = findPreamble(text.substr(0, nccl + 5));
      if (row && beginRow(text, *row, &rest)) return rest;
    }
    takeLog(text, nccl);
    return {};
  }
  if (resumeRow(text, &rest)) return rest;
  if (text[text.find_first_not_of(' ') % text.size()] == '#' && takeHeaderLine(text)) return {};
  const LineMarks marks = scanLine(text);
  if (marks.row && beginRow(text, *marks.row, &rest)) return rest;
  takeOther(text, marks);
  return {};
}

bool TextReader::rowTaken(TableStream& table, const RowAssembler::Taken& taken, std::string_view* rest) {
  if (taken.outcome == RowAssembler::Outcome::kNothing) return false;
  current_ = &table;
  *rest = taken.rest;
  if (taken.outcome == RowAssembler::Outcome::kRow) {
    rows_++;
    table.addRow();
  }
  return true;
}

bool TextReader::resumeRow(std::string_view text, std::string_view* rest) {
  if (!current_->rows().unfinished()) return false;
  context_.host = host_;
  return rowTaken(*current_, current_->rows().resume(text, context_), rest);
}

bool TextReader::beginRow(std::string_view text, const Preamble& preamble, std::string_view* rest) {
  TableStream& table = tableOf(text.substr(0, static_cast<size_t>(preamble.begin - text.data())));
  if (table.facts().run.complete && table.facts().rows > 0) endRun(table);
  context_.host = host_;
  context_.wrongWidth = table.facts().wrongWidth;
  return rowTaken(table, table.rows().begin(text, preamble, context_), rest);
}

void TextReader::takeLog(std::string_view text, size_t nccl) {
  const bool version = text[nccl + 5] == 'v';
  const std::string_view message = text.substr(version ? nccl : nccl + 10);
  if (text[nccl + 5] == 'W') return takeFailure(text);
  if (message.size() == choiceMessage_.size() && message == choiceMessage_) {
    choiceLines_++;
    return;
  }
  if (mayBeChoice(message) && message.find(" Bytes -> Algo ") != kNone) return takeChoice(message);
  if (!mayTell(message)) return;
  const LogPrefix prefix = splitLogPrefix(text.substr(0, nccl));
  if (!prefix.host.empty()) host_ = prefix.host;
  TableStream& table = tableOf(prefix.tag);
  RunFacts& facts = table.facts();
  // A table that is whole and has its log: this is the log of the next run.
  if (startsWith(message, "NCCL version ") && facts.run.complete && facts.sawLog) endRun(table);
  takeLogMessage(table.facts(), prefix.host, message);
}

void TextReader::takeChoice(std::string_view message) {
  flushChoice();
  choice_ = parseChoice(message);
  choiceMessage_ = message;
  choiceLines_ = 1;
}

void TextReader::flushChoice() {
  if (choice_) current_->addChoice(*choice_, choiceLines_);
  choice_.reset();
  choiceMessage_.clear();
  choiceLines_ = 0;
}

void TextReader::takeOther(std::string_view text, const LineMarks& marks) {
  if (marks.header && takeHeaderLine(text)) return;
  if (const size_t json = marks.json ? jsonStart(text) : kNone; json != kNone) {
    json_ = text.data() + json;
    return;
  }
  switch (surroundings_.take(text, marks)) {
    case Surroundings::Found::kSection: {
      RunFacts& facts = current_->facts();
      if (facts.rows > 0 || facts.sawMarker || !current_->untouched()) endRun(*current_);
      surroundings_.begin(current_->facts());
      current_->facts().sawMarker = true;
      current_->facts().run.line = context_.line;
      return;
    }
    case Surroundings::Found::kSomething: return;
    case Surroundings::Found::kNothing:
      if (marks.failure) takeFailure(text);
      return;
  }
}

bool TextReader::takeHeaderLine(std::string_view text) {
  const HeaderLine header = findHeader(text);
  if (header.part == HeaderPart::kNone) return false;
  const std::string_view prefix = text.substr(0, std::min(text.find('#'), text.size()));
  TableStream& table = tableForHeader(header.part, prefix);
  table.rows().giveUp();
  if (beginsAnotherRun(table.facts(), header.part)) endRun(table);
  RunFacts& facts = table.facts();
  if (table.untouched() && !facts.sawMarker) surroundings_.begin(facts);
  if (facts.run.line == 0) facts.run.line = context_.line;
  takeHeader(facts, header);
  current_ = &table;
  return true;
}

void TextReader::takeFailure(std::string_view text) {
  if (!failure_.empty() && (current_->facts().run.complete || !current_->facts().failure.empty())) return;
  std::string failure = failureIn(text);
  if (failure.empty()) return;
  if (failure_.empty()) failure_ = failure;
  RunFacts& facts = current_->facts();
  if (facts.failure.empty() && !facts.run.complete) facts.failure = std::move(failure);
}

TableStream& TextReader::tableOf(std::string_view prefix) {
  if (tables_.size() == 1) return *current_;
  if (prefix == lastPrefix_) return *lastTable_;
  lastPrefix_ = prefix;
  lastTable_ = current_;
  const std::string label = labelOf(prefix);
  for (const auto& table : tables_)
    if (table->label() == label) lastTable_ = table.get();
  return *lastTable_;
}

// Another label alone is no proof of another writer (it may hold a time that we do not know as one); another label
// on a header that cannot be of the running test is.
TableStream& TextReader::tableForHeader(HeaderPart part, std::string_view prefix) {
  if (tables_.size() == 1 && prefix == current_->prefix()) return *current_;
  lastPrefix_ = "\n";  // labels may change
  std::string label = labelOf(prefix);
  for (const auto& table : tables_)
    if (table->label() == label) return *table;
  const RunFacts& facts = current_->facts();
  if (!beginsAnotherRun(facts, part) && !current_->untouched()) return *current_;
  const bool running = !current_->untouched() && !facts.run.complete;
  if (running && tables_.size() < kMostTables) {
    tables_.push_back(std::make_unique<TableStream>(sink_, file_));
    current_ = tables_.back().get();
  }
  current_->label() = std::move(label);
  current_->prefix() = prefix;
  return *current_;
}

void TextReader::endRun(TableStream& table) {
  flushChoice();
  runs_ += table.endRun();
}

void TextReader::finish() {
  for (const auto& table : tables_) endRun(*table);
}

std::string TextReader::reason() const {
  if (!failure_.empty()) return fmt::format("no rows: {}", failure_);
  return "no rows of nccl-tests in it";
}

}  // namespace polyrail::read
