// SPDX-License-Identifier: Apache-2.0
#include "cli/read/row_grammar.h"

#include <cmath>

#include "cli/read/number.h"

namespace polyrail::read {
namespace {

struct TypeName {
  std::string_view name;
  uint64_t bytes;
};
constexpr TypeName kTypes[] = {{"float", 4},  {"double", 8}, {"half", 2},     {"bfloat16", 2}, {"int8", 1},
                               {"uint8", 1},  {"int32", 4},  {"uint32", 4},   {"int64", 8},    {"uint64", 8},
                               {"f8e4m3", 1}, {"f8e5m2", 1}, {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"char", 1},
                               {"int", 4},    {"bf16", 2},   {"fp16", 2}};

const char* skipSpaces(const char* p, const char* end) {
  while (p < end && isSpace(*p)) p++;
  return p;
}

const char* skipWord(const char* p, const char* end) {
  while (p < end && !isSpace(*p)) p++;
  return p;
}

// The integer that ends the word: all of it, or its digits when a tag is glued to their front
// ("<stdout>:17179869184").
std::string_view trailingInteger(const char* begin, const char* end) {
  const char* p = end;
  while (p > begin && isDigit(p[-1])) p--;
  const bool partOfNumber = p > begin && (p[-1] == '.' || p[-1] == '-' || p[-1] == '+');
  const bool partOfWord = p > begin && ((p[-1] | 0x20) >= 'a' && (p[-1] | 0x20) <= 'z');
  if (partOfNumber || partOfWord || p == end) return {};
  return {p, static_cast<size_t>(end - p)};
}

constexpr std::string_view kOperations[] = {"sum", "prod", "max", "min", "avg", "mulsum", "none"};

std::string_view nameOf(const TypeName& type) { return type.name; }
std::string_view nameOf(std::string_view name) { return name; }

// A log line or a tag was printed right behind the word, without a space.
bool foreignTextIn(std::string_view rest) {
  return rest.find("NCCL ") != std::string_view::npos || rest.find("<std") != std::string_view::npos;
}

// The word of `table` at `p`: the whole token, or its beginning when foreign text is glued to it.
template <typename Table>
std::string_view wordAt(const Table& table, const char* p, const char* end) {
  const std::string_view token(p, static_cast<size_t>(skipWord(p, end) - p));
  std::string_view best;
  for (const auto& entry : table) {
    const std::string_view name = nameOf(entry);
    if (name == token) return token;
    if (token.substr(0, name.size()) == name && name.size() > best.size()) best = token.substr(0, name.size());
  }
  if (best.empty() || !foreignTextIn({p + best.size(), static_cast<size_t>(end - p) - best.size()})) return {};
  return best;
}

// `size` and `count` are there; does a type word follow at `p`?
std::optional<Preamble> complete(std::string_view size, std::string_view count, const char* p, const char* end) {
  const std::string_view type = wordAt(kTypes, p, end);
  Preamble found{size, count, type, {}, 0, 0, elementBytes(type), size.data(), p + type.size()};
  if (type.empty() || !wholeInteger(size, &found.sizeBytes) || !wholeInteger(count, &found.elements))
    return std::nullopt;
  if (found.rest < end && !isSpace(*found.rest)) return found;
  const char* const word = skipSpaces(found.rest, end);
  found.redop = wordAt(kOperations, word, end);
  if (!found.redop.empty()) found.rest = word + found.redop.size();
  return found;
}

const char* scanNotAvailable(const char* p, const char* end) {
  return end - p >= 3 && std::string_view(p, 3) == "N/A" ? p + 3 : nullptr;
}

bool hasPoint(std::string_view text) { return text.find('.') != std::string_view::npos; }
bool hasExponent(std::string_view text) { return text.find('e') != std::string_view::npos; }

// Printed with two decimals unless it is too wide for them; "inf" and "nan" when the time is 0.
bool isBandwidth(const Number& n) {
  return !n.notAvailable && (hasPoint(n.text) || n.text.size() >= 5 || std::isfinite(n.value) == 0);
}

}  // namespace

uint64_t elementBytes(std::string_view type) {
  for (const TypeName& t : kTypes)
    if (t.name == type) return t.bytes;
  return 0;
}

std::optional<Preamble> findPreamble(std::string_view line) {
  const char* const end = line.data() + line.size();
  std::string_view size, count;
  for (const char* p = skipSpaces(line.data(), end); p < end; p = skipSpaces(p, end)) {
    const char* const wordEnd = skipWord(p, end);
    if (!size.empty() && !isDigit(*p))
      if (auto found = complete(size, count, p, end)) return found;
    // `count` may have something glued to its front only as long as it may turn out to be the size.
    const std::string_view integer = trailingInteger(p, wordEnd);
    size = integer.size() == static_cast<size_t>(wordEnd - p) ? count : std::string_view{};
    count = integer;
    p = wordEnd;
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
    n.value = 0;
    const char* stop = scanNumber(word, end, &n.value);
    n.notAvailable = stop == nullptr && (stop = scanNotAvailable(word, end)) != nullptr;
    if (stop == nullptr) return;
    n.text = {word, static_cast<size_t>(stop - word)};
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
  return n[3].notAvailable || !hasPoint(n[3].text) || hasExponent(n[3].text);
}

bool isSpread(const Number* n) {
  for (int i = 0; i < 4; i++)
    if (n[i].notAvailable) return false;
  return hasPoint(n[3].text) && !hasExponent(n[3].text);
}

}  // namespace polyrail::read
