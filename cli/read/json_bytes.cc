// SPDX-License-Identifier: Apache-2.0
#include "cli/read/json_bytes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/read/number.h"

namespace polyrail::read {
namespace {

bool isWordByte(int c) {
  return isDigit(static_cast<char>(c)) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.';
}

bool isBlank(int c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool noNumber(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  return word == "inf" || word == "nan" || word == "Infinity" || word == "NaN";
}

}  // namespace

int JsonBytes::read() {
  if (pushedBack_ != -2) return std::exchange(pushedBack_, -2);
  const int c = source_.get();
  ended_ |= c < 0;
  return c;
}

int JsonBytes::queued() { return static_cast<unsigned char>(queue_[queueAt_++]); }

// Bytes beyond the limit are dropped until the string ends; an escape is dropped whole.
int JsonBytes::insideString(int c) {
  while (c >= 0) {
    const bool quote = c == '"' && !escaped_, escape = escaped_;
    escaped_ = c == '\\' && !escaped_;
    if (quote) {
      inString_ = false;
      return c;
    }
    if (stringLength_ < kLongestString || (escape && stringLength_ == kLongestString)) {
      stringLength_++;
      return c < 0x20 || c > 0x7e ? '?' : c;
    }
    c = read();
  }
  return c;
}

int JsonBytes::bareWord(int c) {
  queueAt_ = queueEnd_ = 0;
  for (; c >= 0 && isWordByte(c); c = read())
    if (queueEnd_ < queue_.size()) queue_[queueEnd_++] = static_cast<char>(c);
  pushedBack_ = c;
  if (noNumber({queue_.data(), queueEnd_})) {
    constexpr std::string_view kNull = "null";
    std::copy(kNull.begin(), kNull.end(), queue_.begin());
    queueEnd_ = kNull.size();
  }
  return queued();
}

int JsonBytes::next() {
  if (queueAt_ < queueEnd_) return queued();
  int c = read();
  if (inString_) return insideString(c);
  if (c == '"') {
    inString_ = true;
    escaped_ = false;
    stringLength_ = 0;
    return c;
  }
  if (c == ',') {
    do c = read();
    while (isBlank(c));
    if (c == '}' || c == ']') return c;
    pushedBack_ = c;
    return ',';
  }
  return c >= 0 && isWordByte(c) ? bareWord(c) : c;
}

}  // namespace polyrail::read
