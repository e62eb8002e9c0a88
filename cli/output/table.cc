// SPDX-License-Identifier: Apache-2.0
#include "cli/output/table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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

// Columns on the screen: UTF-8 continuation bytes take none.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad(const std::string& text, size_t to, Align align) {
  const std::string space(to > width(text) ? to - width(text) : 0, ' ');
  return align == Align::kRight ? space + text : text + space;
}

void rightTrim(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void Table::print(std::FILE* out, bool colour) const {
  std::vector<size_t> widths;
  for (const Column& c : columns_) widths.push_back(width(c.title));
  for (const auto& row : rows_)
    for (size_t i = 0; i < std::min(row.size(), widths.size()); i++)
      widths[i] = std::max(widths[i], width(row[i].text));

  std::string line;
  for (size_t i = 0; i < columns_.size(); i++) line += pad(columns_[i].title, widths[i], columns_[i].align) + "  ";
  rightTrim(line);
  fmt::print(out, "{}\n", line);
  for (const auto& row : rows_) {
    line.clear();
    for (size_t i = 0; i < std::min(row.size(), columns_.size()); i++) {
      const bool paint = colour && row[i].tone != Tone::kPlain;
      const std::string cell = pad(row[i].text, widths[i], columns_[i].align);
      line += (paint ? escape(row[i].tone) + cell + "\x1b[0m" : cell) + "  ";
    }
    rightTrim(line);
    fmt::print(out, "{}\n", line);
  }
}

bool wantsColour(std::FILE* out) {
  const char* none = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if ((none && *none) || !term || std::strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(out)) == 1;
}

std::string humanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  uint64_t scale = 1;
  while (unit + 1 < std::size(kUnits) && bytes / scale >= 1024) scale *= 1024, unit++;
  if (bytes % scale == 0) return fmt::format("{} {}", bytes / scale, kUnits[unit]);
  return fmt::format("{:.4g} {}", static_cast<double>(bytes) / static_cast<double>(scale), kUnits[unit]);
}

std::string humanTime(double us) {
  if (std::abs(us) < 1e3) return fmt::format("{:.3g} us", us);
  if (std::abs(us) < 1e6) return fmt::format("{:.3g} ms", us / 1e3);
  return fmt::format("{:.4g} s", us / 1e6);
}

bool parseBytes(const std::string& text, uint64_t* bytes) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0) return false;
  std::string suffix(rest, end);
  suffix.erase(0, suffix.find_first_not_of(' '));
  for (char& c : suffix) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  static constexpr const char* kSuffixes[][3] = {
      {"", "B", "B"}, {"K", "KB", "KIB"}, {"M", "MB", "MIB"}, {"G", "GB", "GIB"}, {"T", "TB", "TIB"}};
  double scale = 1;
  for (const auto& names : kSuffixes) {
    for (const char* name : names)
      if (suffix == name) {
        // Whole numbers of bytes stay exact: doubles cannot hold every uint64_t.
        if (scale == 1 && std::from_chars(text.data(), end, *bytes).ptr == rest) return true;
        if (number * scale >= 18446744073709551616.0) return false;
        *bytes = static_cast<uint64_t>(number * scale);
        return true;
      }
    scale *= 1024;
  }
  return false;
}

}  // namespace polyrail::cli
