// SPDX-License-Identifier: Apache-2.0
// Reads text line by line: tells rows, headers, log lines and the rest apart and gives each to whom it concerns. One
// per file; one thread. Memory is bounded by the number of writers whose tables are interleaved, at most kMostTables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/read/header_lines.h"
#include "cli/read/line_source.h"
#include "cli/read/surroundings.h"
#include "cli/read/table_stream.h"

namespace polyrail::read {

class TextReader {
 public:
  static constexpr size_t kMostTables = 256;

  TextReader(RunSink& sink, std::string file);

  // Returns where in the line results as JSON begin, which are not for this reader; npos for none.
  size_t take(const Line& line);
  // What is known about the run whose results come as JSON; the table at hand begins anew.
  RunFacts handOver();
  // Reports what is still open. Call once, after the last line.
  void finish();

  uint64_t rows() const { return rows_; }
  uint64_t runs() const { return runs_; }
  // Why there are no rows; REQUIRES: finished, rows() == 0.
  std::string reason() const;

 private:
  std::string_view takePart(std::string_view text);
  bool resumeRow(std::string_view text, std::string_view* rest);
  bool beginRow(std::string_view text, const Preamble& preamble, std::string_view* rest);
  bool rowTaken(TableStream& table, const RowAssembler::Taken& taken, std::string_view* rest);
  void takeLog(std::string_view text, size_t nccl);
  void takeChoice(std::string_view message);
  void flushChoice();
  void takeOther(std::string_view text, const LineMarks& marks);
  bool takeHeaderLine(std::string_view text);
  void takeFailure(std::string_view text);
  TableStream& tableOf(std::string_view prefix);
  TableStream& tableForHeader(HeaderPart part, std::string_view prefix);
  void endRun(TableStream& table);

  RunSink& sink_;
  const std::string file_;
  Surroundings surroundings_;
  std::vector<std::unique_ptr<TableStream>> tables_;
  TableStream* current_ = nullptr;  // the one that had the last header or row
  std::string lastPrefix_ = "\n";   // of the last question for a table; never that of a line
  TableStream* lastTable_ = nullptr;
  RowContext context_;
  std::string scratch_, host_;
  const char* json_ = nullptr;  // where JSON begins in the line at hand
  std::string choiceMessage_;   // the last "-> Algo" message, and what it says
  std::optional<ChoiceLine> choice_;
  uint64_t choiceLines_ = 0;
  uint64_t rows_ = 0, runs_ = 0;
  std::string failure_, oddity_;
};

}  // namespace polyrail::read
