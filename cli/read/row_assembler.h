// SPDX-License-Identifier: Apache-2.0
// Puts rows together from their pieces, which may lie on one line or be torn apart by log lines and tags of other
// writers. Between lines it holds at most one unfinished row, in fixed memory. One per table; one thread.
#pragma once

#include <array>
#include <string_view>

#include "cli/read/row_grammar.h"
#include "cli/read/run_sink.h"

namespace polyrail::read {

// What is known beside the line itself.
struct RowContext {
  uint64_t line = 0;       // number of the line
  bool firstLine = false;  // of the file: its head may be cut off
  bool endsHere = false;   // the file ends in this line, without a line end: its tail may be cut off
  size_t wrongWidth = 0;   // width of the `wrong` column with its two spaces as the header has it; 0: not known
  std::string_view host;   // last host name seen in a log line; empty: none
};

class RowAssembler {
 public:
  enum class Outcome {
    kNothing,  // the line holds no piece of a row
    kPiece,    // a piece was taken; the row is not whole yet
    kRow,      // row() and text() are whole, until the next call
  };
  struct Taken {
    Outcome outcome = Outcome::kNothing;
    std::string_view rest;  // of the line, behind what was taken: text of another writer, or empty
  };

  // Takes the beginning of a row, as findPreamble() found it in `line`, and whatever of it follows. An unfinished row
  // is given up.
  Taken begin(std::string_view line, const Preamble& found, const RowContext& context);
  // Takes the next piece of the unfinished row, if `line` begins with one (a tag may stand before it).
  Taken resume(std::string_view line, const RowContext& context);

  bool unfinished() const { return stage_ != Stage::kIdle; }
  void giveUp();
  // Rows that were begun and never finished, and the line of the first.
  uint64_t lost() const { return lost_; }
  uint64_t firstLost() const { return firstLost_; }

  const Row& row() const { return row_; }
  RowText& text() { return text_; }

 private:
  enum class Stage { kIdle, kOutOfPlace, kInPlace };

  Taken takeAll(std::string_view line, const char* p, const RowContext& context);
  bool takeNumbers(const NumberRun& run, const RowContext& context, const char* lineEnd, const char** stop);
  size_t rootNumbers(size_t count, const NumberRun& run) const;
  const char* takeRoot(const Number& root, bool glued, const char* lineEnd, const RowContext& context);
  size_t ownWrong(const Number& wrong, const char* lineEnd, const RowContext& context) const;
  void takeBody(const Number* body, size_t ownWrong);
  void takeSpread(const Number* numbers);
  bool plausible(std::string_view line, const Preamble& found, const RowContext& context) const;
  static bool headCut(std::string_view line, const Preamble& found, uint64_t bytes);
  bool cutAtEnd(const Number& wrong, size_t own, const RowContext& context) const;
  Taken pieceTaken(std::string_view rest);
  bool holdText();

  Stage stage_ = Stage::kIdle;
  bool rootTaken_ = false, whole_ = false;
  std::string_view tag_;  // what stood before the size, to be skipped when it is repeated inside the row
  size_t firstWrongWidth_ = 0;
  Row row_;
  RowText text_;
  std::array<char, 512> held_;
  uint64_t lost_ = 0, firstLost_ = 0;
};

}  // namespace polyrail::read
