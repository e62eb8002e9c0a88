// SPDX-License-Identifier: Apache-2.0
#include "test/unit/versions/page.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace polyrail::test {
namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Row cells(const std::string& line) {
  std::istringstream in(line.substr(1));
  Row row;
  for (std::string cell; std::getline(in, cell, '|');) row.push_back(trimmed(cell));
  return row;
}

}  // namespace

std::string checkoutFile(const std::string& name) {
  const char* top = std::getenv("POLYRAIL_TOP");
  std::ifstream file(std::string(top ? top : ".") + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Row> rowsBelow(const std::string& heading) {
  std::istringstream page(checkoutFile("docs/versioning.md"));
  std::vector<Row> rows;
  bool here = heading.empty(), head = true;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("## ", 0) == 0) here = line == "## " + heading;
    if (line.empty() || line[0] != '|') head = true;
    if (!here || line.empty() || line[0] != '|') continue;
    if (line.rfind("| ---", 0) == 0)
      head = false;
    else if (!head)
      rows.push_back(cells(line));
  }
  return rows;
}

std::vector<std::string> quoted(const std::string& cell) {
  std::istringstream in(cell);
  std::vector<std::string> found;
  std::string piece;
  for (bool inside = false; std::getline(in, piece, '`'); inside = !inside)
    if (inside) found.push_back(piece);
  return found;
}

}  // namespace polyrail::test
