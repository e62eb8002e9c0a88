// SPDX-License-Identifier: Apache-2.0
// The grammar of a result row of nccl-tests, piece by piece as it is printed (src/common.cu and the tests until
// 2.17.3, src/util.cu since): a preamble "size count type [redop] [root]", then per placement a body
// "time algbw busbw wrong" and with -I "i_min i_max i_p99 i_cv%". Everything is right-justified after two spaces.
// Stateless; views point into the line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace polyrail::read {

struct Preamble {
  std::string_view size, count, type, redop;  // redop: empty when a number follows the type
  uint64_t sizeBytes = 0, elements = 0, elementBytes = 0;
  const char* begin = nullptr;  // of `size`
  const char* rest = nullptr;   // after `redop` or `type`
};

// Finds the first preamble in `line`, whatever comes before it; its root is left in `rest`.
std::optional<Preamble> findPreamble(std::string_view line);

// Bytes of an element of nccl-tests' (and RCCL's) type names; 0 for another word.
uint64_t elementBytes(std::string_view type);

struct Number {
  std::string_view text;
  double value = 0;
  bool notAvailable = false;  // "N/A"
  size_t gap = 0;             // spaces before it
};

// Numbers (and "N/A") with only spaces between them.
struct NumberRun {
  static constexpr size_t kMax = 17;  // root and two placements of eight
  std::array<Number, kMax> at;
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
