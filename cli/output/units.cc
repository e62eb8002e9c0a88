// SPDX-License-Identifier: Apache-2.0
#include "cli/output/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace polyrail::cli {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

// The power of 1024 that a suffix stands for, 0 for none of them. Any case, blanks before it.
uint64_t scaleOf(std::string suffix) {
  suffix.erase(0, suffix.find_first_not_of(' '));
  for (char& c : suffix) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  static constexpr const char* kSuffixes[][3] = {
      {"", "B", "B"}, {"K", "KB", "KIB"}, {"M", "MB", "MIB"}, {"G", "GB", "GIB"}, {"T", "TB", "TIB"}};
  uint64_t scale = 1;
  for (const auto& names : kSuffixes) {
    for (const char* name : names)
      if (suffix == name) return scale;
    scale *= 1024;
  }
  return 0;
}

}  // namespace

std::string humanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  uint64_t scale = 1;
  // 1023.9996 would be printed as 1024: that is 1 of the next unit.
  const auto rounded = [&] { return static_cast<double>(bytes) / static_cast<double>(scale); };
  while (unit + 1 < std::size(kUnits) && (bytes / scale >= 1024 || (scale > 1 && rounded() >= 1023.5)))
    scale *= 1024, unit++;
  if (bytes % scale == 0) return fmt::format("{} {}", bytes / scale, kUnits[unit]);
  return fmt::format("{:.4g} {}", rounded(), kUnits[unit]);
}

std::string humanTime(double us) {
  // The limits are where three digits round up to the next unit.
  const double size = std::abs(us);
  if (size < 999.5) return fmt::format("{:.3g} us", us);
  if (size < 999.5e3) return fmt::format("{:.3g} ms", us / 1e3);
  if (size < 999.5e6) return fmt::format("{:.3g} s", us / 1e6);
  return fmt::format("{:.0f} s", us / 1e6);
}

bool parseBytes(const std::string& text, uint64_t* bytes) {
  if (text.empty() || text[0] == '-') return false;
  const char* end = text.data() + text.size();
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const uint64_t scale = scaleOf(std::string(rest, end));
  if (error != std::errc() || !std::isfinite(number) || scale == 0) return false;
  // Whole numbers stay exact: a double cannot hold every uint64_t.
  uint64_t whole = 0;
  const auto [wholeRest, wholeError] = std::from_chars(text.data(), end, whole);
  if (wholeRest == rest) {
    if (wholeError != std::errc() || whole > std::numeric_limits<uint64_t>::max() / scale) return false;
    *bytes = whole * scale;
    return true;
  }
  const double product = number * static_cast<double>(scale);
  if (product >= kTwoTo64 || (product > 0 && product < 1)) return false;
  *bytes = static_cast<uint64_t>(product);
  return true;
}

}  // namespace polyrail::cli
