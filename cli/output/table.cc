// SPDX-License-Identifier: Apache-2.0
#include "cli/output/table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace polyrail::cli {
namespace {

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "\x1b[32m";
    case Tone::kBad: return "\x1b[31m";
    case Tone::kDim: return "\x1b[2m";
    case Tone::kPlain: break;
  }
  return "";
}

// One line of cells, the last without trailing blanks. Only the text is painted, not the blanks around it.
std::string joined(const std::vector<Cell>& cells, const std::vector<Column>& columns,
                   const std::vector<size_t>& widths, bool colour) {
  std::string line;
  size_t blanks = 0;  // owed before the next text
  for (size_t i = 0; i < std::min(cells.size(), columns.size()); i++) {
    const Cell& cell = cells[i];
    const size_t space = widths[i] - columnsOf(cell.text);
    const bool right = columns[i].align == Align::kRight;
    if (right) blanks += space;
    if (!cell.text.empty()) {
      line.append(blanks, ' ');
      blanks = 0;
      const bool paint = colour && cell.tone != Tone::kPlain;
      line += paint ? escape(cell.tone) + cell.text + "\x1b[0m" : cell.text;
    }
    blanks += (right ? 0 : space) + 2;
  }
  return line;
}

}  // namespace

// Continuation bytes take no room.
size_t columnsOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> Table::lines(bool colour) const {
  std::vector<size_t> widths;
  std::vector<Cell> titles;
  for (const Column& c : columns_) titles.emplace_back(c.title), widths.push_back(columnsOf(c.title));
  for (const auto& row : rows_)
    for (size_t i = 0; i < std::min(row.size(), widths.size()); i++)
      widths[i] = std::max(widths[i], columnsOf(row[i].text));

  std::vector<std::string> all = {joined(titles, columns_, widths, false)};
  for (const auto& row : rows_) all.push_back(joined(row, columns_, widths, colour));
  return all;
}

void Table::print(std::FILE* out, bool colour) const {
  for (const std::string& line : lines(colour)) fmt::print(out, "{}\n", line);
}

bool wantsColour(std::FILE* out) {
  const char* none = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if ((none && *none) || !term || std::strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(out)) == 1;
}

}  // namespace polyrail::cli
