// SPDX-License-Identifier: Apache-2.0
#include "cli/read/labels.h"

#include <algorithm>

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kDayNames[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar",
                                          "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// "2024-11-28T07:42:11.525Z", "15:41:05", "2024"
bool isTime(std::string_view word) {
  while (!word.empty() && (word.front() == '[' || word.front() == '(')) word.remove_prefix(1);
  while (!word.empty() && (word.back() == ']' || word.back() == ')' || word.back() == ',')) word.remove_suffix(1);
  size_t digits = 0;
  for (char c : word) {
    digits += isDigit(c);
    if (!isDigit(c) && std::string_view(":-./TZ+,").find(c) == std::string_view::npos) return false;
  }
  return digits >= 4 || digits == word.size();
}

bool isDayName(std::string_view word) {
  return std::find(std::begin(kDayNames), std::end(kDayNames), word) != std::end(kDayNames);
}

// "2024<stdout>:" is "<stdout>:".
std::string_view withoutYear(std::string_view word) {
  const size_t mark = word.find("<std");
  if (mark == std::string_view::npos || !isTime(word.substr(0, mark))) return word;
  return word.substr(mark);
}

}  // namespace

std::string labelOf(std::string_view prefix) {
  std::string label;
  for (std::string_view word = nextWord(prefix); !word.empty(); word = nextWord(prefix)) {
    if (isTime(word) || isDayName(word)) continue;
    if (!label.empty()) label += ' ';
    label += withoutYear(word);
    if (label.size() > 256) break;
  }
  return label;
}

LogPrefix splitLogPrefix(std::string_view prefix) {
  std::string_view ids = trim(prefix);
  if (!ids.empty() && ids.back() == ']') ids = trim(ids.substr(0, ids.rfind('[')));
  const size_t thread = ids.rfind(':');
  if (thread == std::string_view::npos || thread == 0) return {prefix, {}};
  const size_t process = ids.rfind(':', thread - 1);
  uint64_t number = 0;
  if (process == std::string_view::npos || !wholeInteger(ids.substr(process + 1, thread - process - 1), &number))
    return {prefix, {}};
  size_t begin = process;
  while (begin > 0 && ids[begin - 1] != ' ' && ids[begin - 1] != ':' && ids[begin - 1] != '>') begin--;
  const std::string_view host = ids.substr(begin, process - begin);
  return {prefix.substr(0, static_cast<size_t>(host.data() - prefix.data())), host};
}

std::string_view withoutEscapes(std::string_view text, std::string& scratch) {
  scratch.clear();
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\x1b') {
      scratch += text[i];
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    for (i += 2; i < text.size() && !(text[i] >= '@' && text[i] <= '~'); i++) {
    }
  }
  return scratch;
}

}  // namespace polyrail::read
