// SPDX-License-Identifier: Apache-2.0
#include "cli/read/row_grammar.h"

#include <cmath>
#include <iterator>

#include "cli/read/number.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kSpacedTypes[] = {" float", " double", " half",     " bfloat16", " int8",   " uint8",
                                             " int32", " uint32", " int64",    " uint64",   " f8e4m3", " f8e5m2",
                                             " char",  " int",    " fp8_e4m3", " fp8_e5m2", " bf16",   " fp16"};
constexpr uint64_t kTypeBytes[] = {4, 8, 2, 2, 1, 1, 4, 4, 8, 8, 1, 1, 1, 4, 1, 1, 2, 2};
static_assert(std::size(kSpacedTypes) == std::size(kTypeBytes));

inline const char* skipSpaces(const char* p, const char* end) {
  while (p < end && *p == ' ') p++;  // almost always the only ones
  while (p < end && isSpace(*p)) p++;
  return p;
}

const char* skipWord(const char* p, const char* end) {
  while (p < end && !isSpace(*p)) p++;
  return p;
}

struct Integer {
  std::string_view text;
  uint64_t value = 0;
};

// Digits at `p`; an empty text when there are none or they overflow.
Integer integerAt(const char* p, const char* end) {
  Integer found;
  const char* const stop = scanInteger(p, end, &found.value);
  if (stop != nullptr) found.text = {p, static_cast<size_t>(stop - p)};
  return found;
}

// The integer that ends at `end`, as far back as `begin` at most.
Integer integerBefore(const char* begin, const char* end) {
  const char* p = end;
  while (p > begin && isDigit(p[-1])) p--;
  return integerAt(p, end);
}

const char* skipSpacesBack(const char* begin, const char* p) {
  while (p > begin && isSpace(p[-1])) p--;
  return p;
}

// A tag may be glued to the front of the size ("<stdout>:17179869184"), but no word and no number.
bool mayPrecedeSize(char c) {
  return !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '.' && c != '-' && c != '+' && c != '_';
}

constexpr std::string_view kOperations[] = {"sum", "prod", "max", "min", "avg", "mulsum", "none"};

// Foreign text was printed right behind a type word, without a space; lower-case letters make it another word unless
// a log line follows.
bool foreignText(std::string_view rest) {
  if (rest[0] < 'a' || rest[0] > 'z') return true;
  return rest.find("NCCL ") != std::string_view::npos;
}

// The longest word of `table` that the text at `p` begins with. `skipped` bytes of the table's words are not part of
// them.
std::string_view wordAt(std::span<const std::string_view> table, size_t skipped, const char* p, const char* end) {
  const std::string_view text(p, static_cast<size_t>(end - p));
  std::string_view best;
  for (std::string_view name : table) {
    name.remove_prefix(skipped);
    if (name.size() <= best.size() || text.substr(0, name.size()) != name) continue;
    best = text.substr(0, name.size());
    if (text.size() == name.size() || isSpace(text[name.size()])) return best;
  }
  return best;
}

// `size` and `count` are there; does a type word follow at `p`?
std::optional<Preamble> complete(const Integer& size, const Integer& count, const char* p, const char* end) {
  const std::string_view type = wordAt(kSpacedTypes, 1, p, end);
  if (type.empty()) return std::nullopt;
  const std::string_view behind(type.data() + type.size(), static_cast<size_t>(end - type.data()) - type.size());
  if (!behind.empty() && !isSpace(behind[0]) && !foreignText(behind)) return std::nullopt;
  Preamble found{size.text,          count.text,       type,           {}, size.value, count.value,
                 elementBytes(type), size.text.data(), p + type.size()};
  if (found.rest < end && !isSpace(*found.rest)) return found;
  const char* const word = skipSpaces(found.rest, end);
  found.redop = wordAt(kOperations, 0, word, end);
  if (!found.redop.empty()) found.rest = word + found.redop.size();
  return found;
}

const char* scanNotAvailable(const char* p, const char* end) {
  return end - p >= 3 && std::string_view(p, 3) == "N/A" ? p + 3 : nullptr;
}

// Printed with two decimals unless it is too wide for them; "inf" and "nan" when the time is 0.
bool isBandwidth(const Number& n) {
  return !n.notAvailable && (n.number.point || n.end - n.begin >= 5 || !std::isfinite(n.value()));
}

}  // namespace

uint64_t elementBytes(std::string_view type) {
  for (size_t i = 0; i < std::size(kSpacedTypes); i++)
    if (kSpacedTypes[i].substr(1) == type) return kTypeBytes[i];
  return 0;
}

std::span<const std::string_view> spacedTypeNames() { return kSpacedTypes; }

std::optional<Preamble> preambleAtStart(std::string_view line) {
  const char* const end = line.data() + line.size();
  const Integer size = integerAt(skipSpaces(line.data(), end), end);
  if (size.text.empty()) return std::nullopt;
  const char* p = size.text.data() + size.text.size();
  if (p == end || !isSpace(*p)) return std::nullopt;
  const Integer count = integerAt(skipSpaces(p, end), end);
  if (count.text.empty()) return std::nullopt;
  p = count.text.data() + count.text.size();
  if (p == end || !isSpace(*p)) return std::nullopt;
  return complete(size, count, skipSpaces(p, end), end);
}

std::optional<Preamble> preambleAround(std::string_view line, const char* type) {
  const char* const begin = line.data();
  const char* p = skipSpacesBack(begin, type);
  const Integer count = integerBefore(begin, p);
  if (p == type || count.text.empty()) return std::nullopt;
  p = skipSpacesBack(begin, count.text.data());
  const Integer size = integerBefore(begin, p);
  if (p == count.text.data() || size.text.empty()) return std::nullopt;
  const char* const before = size.text.data();
  if (before > begin && !mayPrecedeSize(before[-1])) return std::nullopt;
  return complete(size, count, type, begin + line.size());
}

std::optional<Preamble> findPreamble(std::string_view line) {
  const char* const end = line.data() + line.size();
  for (const char* p = line.data(); p < end; p = skipWord(skipSpaces(p, end), end)) {
    const char* const word = skipSpaces(p, end);
    if (word < end && !isDigit(*word))
      if (auto found = preambleAround(line, word)) return found;
  }
  return std::nullopt;
}

void scanNumbers(const char* p, const char* end, NumberRun& run) {
  run.count = 0;
  run.glued = false;
  while (true) {
    const char* const word = skipSpaces(p, end);
    run.stop = word;
    if (word == end || run.count == NumberRun::kMax) return;
    Number& n = run.at[run.count];
    n.number = Decimal{};
    const char* stop = scanDecimal(word, end, &n.number);
    n.notAvailable = stop == nullptr && (stop = scanNotAvailable(word, end)) != nullptr;
    if (stop == nullptr) return;
    n.begin = word;
    n.end = stop;
    n.gap = static_cast<size_t>(word - p);
    run.count++;
    run.stop = stop;
    run.glued = stop < end && !isSpace(*stop);
    if (run.glued) return;
    p = stop;
  }
}

bool isBody(const Number* n) {
  if (n[0].notAvailable || !isBandwidth(n[1]) || !isBandwidth(n[2])) return false;
  return n[3].notAvailable || !n[3].number.point || n[3].number.exponent;
}

bool isSpread(const Number* n) {
  for (int i = 0; i < 4; i++)
    if (n[i].notAvailable) return false;
  return n[3].number.point && !n[3].number.exponent;
}

}  // namespace polyrail::read
