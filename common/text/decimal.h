// SPDX-License-Identifier: Apache-2.0
// Reads what /sys writes ("2.5 GT/s PCIe", "400 Gb/sec (4X NDR)") in plugins: std::from_chars for floating point
// would bring libstdc++'s static constructors with it. Any thread.
#pragma once

#include <charconv>
#include <string_view>

namespace polyrail {

// The number that `text` begins with; 0 when there is none. Digits behind the sixth place are cut.
inline double leadingDecimal(std::string_view text) {
  unsigned whole = 0;
  const char* const end = text.data() + text.size();
  const char* at = std::from_chars(text.data(), end, whole).ptr;
  double value = whole;
  if (at == text.data() || at == end || *at != '.') return value;
  double place = 0.1;
  for (at++; at != end && *at >= '0' && *at <= '9' && place > 1e-7; at++, place /= 10) value += (*at - '0') * place;
  return value;
}

}  // namespace polyrail
