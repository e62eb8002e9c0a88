// SPDX-License-Identifier: Apache-2.0
// The grammar of a result row of nccl-tests, piece by piece as it is printed (src/common.cu and the tests until
// 2.17.3, src/util.cu since): a preamble "size count type [redop] [root]", then per placement a body
// "time algbw busbw wrong" and with -I "i_min i_max i_p99 i_cv%". Everything is right-justified after two spaces.
// Stateless; views point into the line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cli/read/number.h"

namespace polyrail::read {

struct Preamble {
  std::string_view size, count, type, redop;  // redop: empty when a number follows the type
  uint64_t sizeBytes = 0, elements = 0, elementBytes = 0;
  const char* begin = nullptr;  // of `size`
  const char* rest = nullptr;   // after `redop` or `type`
};

// The preamble with which `line` begins, but for spaces; its root is left in `rest`.
std::optional<Preamble> preambleAtStart(std::string_view line);
// The preamble whose type word is at `type`, whatever comes before it in `line`.
std::optional<Preamble> preambleAround(std::string_view line, const char* type);
// The first preamble in `line`.
std::optional<Preamble> findPreamble(std::string_view line);

// The type words that rows have, each behind a space.
std::span<const std::string_view> spacedTypeNames();

// Bytes of an element of nccl-tests' (and RCCL's) type names; 0 for another word.
uint64_t elementBytes(std::string_view type);

struct Number {
  const char* begin;
  const char* end;
  Decimal number;     // 0 for "N/A"
  bool notAvailable;  // "N/A"
  size_t gap;         // spaces before it
  double value() const { return number.value; }
  std::string_view text() const { return {begin, static_cast<size_t>(end - begin)}; }
};

// Numbers (and "N/A") with only spaces between them.
struct NumberRun {
  static constexpr size_t kMax = 17;  // root and two placements of eight
  std::array<Number, kMax> at;        // the first `count` are set
  size_t count = 0;
  bool glued = false;          // the last one is directly followed by something that is no space
  const char* stop = nullptr;  // first byte that is neither number nor space
};
void scanNumbers(const char* p, const char* end, NumberRun& run);

// Four numbers from `first` are a body: the bandwidths have a point, the last is a count, an error or N/A.
bool isBody(const Number* first);
// Four numbers from `first` are the columns of -I: the last has a point and no exponent, which `wrong` never has.
bool isSpread(const Number* first);

}  // namespace polyrail::read
