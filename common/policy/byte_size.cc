// SPDX-License-Identifier: Apache-2.0
#include "common/policy/byte_size.h"

#include <charconv>

namespace polyrail {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// log2 of the unit, or nothing.
std::optional<int> shiftOf(std::string_view unit) {
  if (unit.empty() || (unit.size() == 1 && lower(unit[0]) == 'b')) return 0;
  const size_t power = std::string_view("kmgt").find(lower(unit[0]));
  const bool spelledOut = unit.size() == 3 && lower(unit[1]) == 'i' && lower(unit[2]) == 'b';
  if (power == std::string_view::npos || (unit.size() != 1 && !spelledOut)) return std::nullopt;
  return static_cast<int>(power + 1) * 10;
}

}  // namespace

std::optional<uint64_t> parseByteSize(std::string_view text) {
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<size_t>(rest - text.data()));
  if (unit.size() > 1 && unit[0] == ' ') unit.remove_prefix(1);
  const std::optional<int> shift = shiftOf(unit);
  if (!shift || (number << *shift) >> *shift != number) return std::nullopt;
  return number << *shift;
}

}  // namespace polyrail
