// SPDX-License-Identifier: Apache-2.0
#include "cli/read/words.h"

#include "cli/read/number.h"

namespace polyrail::read {

std::string_view trim(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!startsWith(text, prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view nextWord(std::string_view& text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  size_t n = 0;
  while (n < text.size() && !isSpace(text[n])) n++;
  const std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  return word;
}

std::optional<uint64_t> nextInteger(std::string_view& text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  uint64_t value = 0;
  const char* const rest = scanInteger(text.data(), text.data() + text.size(), &value);
  if (rest == nullptr || rest == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return value;
}

std::optional<uint64_t> integerAfter(std::string_view text, std::string_view label) {
  const size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + label.size());
  return nextInteger(text);
}

std::string_view dottedVersion(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && (isDigit(text[n]) || (text[n] == '.' && n > 0))) n++;
  while (n > 0 && text[n - 1] == '.') n--;
  const std::string_view version = text.substr(0, n);
  return version.size() <= 16 && contains(version, ".") ? version : std::string_view{};
}

std::string_view baseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace polyrail::read
