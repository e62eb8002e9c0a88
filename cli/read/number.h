// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as printf writes them, read in place. Stateless. The reader's inner loop: no locale, no allocation.
#pragma once

#include <cstdint>
#include <string_view>

namespace polyrail::read {

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

struct Decimal {
  double value = 0;
  bool point = false, exponent = false;  // of the text
};

// Reads [-]digits[.digits][e(+|-)dd...] at `p`, or "inf", "nan", "-nan". Returns where it ends, nullptr when there is
// no number. An 'e' that no sign and two digits follow is not part of the number: printf always writes both.
const char* scanDecimal(const char* p, const char* end, Decimal* found);

inline const char* scanNumber(const char* p, const char* end, double* value) {
  Decimal found;
  const char* const stop = scanDecimal(p, end, &found);
  if (stop != nullptr) *value = found.value;
  return stop;
}

// Reads digits at `p`; nullptr when there are none or they overflow.
const char* scanInteger(const char* p, const char* end, uint64_t* value);

// The whole of `text` is one integer.
bool wholeInteger(std::string_view text, uint64_t* value);

}  // namespace polyrail::read
