// SPDX-License-Identifier: Apache-2.0
// A table for people: columns as wide as their widest cell, numbers to the right. Colour only where `colour` is set,
// which a verb takes from wantsColour(). Build it, print it, forget it; one thread.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/units.h"

namespace polyrail::cli {

enum class Align { kLeft, kRight };
enum class Tone { kPlain, kGood, kBad, kDim };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

struct Cell {
  Cell(std::string t, Tone how = Tone::kPlain) : text(std::move(t)), tone(how) {}
  Cell(const char* t, Tone how = Tone::kPlain) : text(t), tone(how) {}
  std::string text;
  Tone tone;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty, surplus ones are dropped.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // The titles and the rows, without line feeds.
  std::vector<std::string> lines(bool colour) const;
  void print(std::FILE* out, bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Columns on the screen of a text without escapes: one for each character of UTF-8.
size_t columnsOf(const std::string& text);

// True for a terminal that has not asked for plain text (NO_COLOR, TERM=dumb).
bool wantsColour(std::FILE* out);

}  // namespace polyrail::cli
