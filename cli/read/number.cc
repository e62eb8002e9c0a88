// SPDX-License-Identifier: Apache-2.0
#include "cli/read/number.h"

#include <charconv>
#include <limits>

namespace polyrail::read {
namespace {

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

bool startsWith(const char* p, const char* end, std::string_view word) {
  return static_cast<size_t>(end - p) >= word.size() && std::string_view(p, word.size()) == word;
}

const char* scanNamed(const char* p, const char* end, bool negative, double* value) {
  if (startsWith(p, end, "inf")) {
    *value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return p + 3;
  }
  if (!startsWith(p, end, "nan")) return nullptr;
  *value = std::numeric_limits<double>::quiet_NaN();
  return p + 3;
}

bool exponentAt(const char* p, const char* end) {
  return end - p >= 4 && p[0] == 'e' && (p[1] == '+' || p[1] == '-') && isDigit(p[2]) && isDigit(p[3]);
}

// Takes digits into `mantissa`, as far as they go.
const char* takeDigits(const char* p, const char* end, uint64_t& mantissa) {
  for (unsigned digit; p < end && (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) <= 9; p++)
    mantissa = mantissa * 10 + digit;
  return p;
}

}  // namespace

const char* scanDecimal(const char* p, const char* end, Decimal* found) {
  const char* const begin = p;
  const bool negative = p < end && *p == '-';
  if (negative) p++;
  uint64_t mantissa = 0;
  const char* const digits = p;
  p = takeDigits(p, end, mantissa);
  if (p == digits) return scanNamed(p, end, negative, &found->value);
  size_t decimals = 0;
  found->point = end - p >= 2 && *p == '.' && isDigit(p[1]);
  if (found->point) {
    const char* const first = p + 1;
    p = takeDigits(first, end, mantissa);
    decimals = static_cast<size_t>(p - first);
  }
  found->exponent = exponentAt(p, end);
  // Exact in one division as long as both operands are (Clinger's fast path).
  if (!found->exponent && p - digits <= 19 && mantissa < kExactInDouble) {
    const double magnitude = static_cast<double>(mantissa) / kPowers[decimals];
    found->value = negative ? -magnitude : magnitude;
    return p;
  }
  if (found->exponent)
    for (p += 2; p < end && isDigit(*p);) p++;
  const std::from_chars_result slow = std::from_chars(begin, p, found->value);
  if (slow.ec != std::errc()) found->value = std::numeric_limits<double>::infinity();
  return p;
}

const char* scanInteger(const char* p, const char* end, uint64_t* value) {
  const auto [rest, error] = std::from_chars(p, end, *value);
  return error == std::errc() ? rest : nullptr;
}

bool wholeInteger(std::string_view text, uint64_t* value) {
  const char* const end = text.data() + text.size();
  return scanInteger(text.data(), end, value) == end && !text.empty();
}

}  // namespace polyrail::read
