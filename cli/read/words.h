// SPDX-License-Identifier: Apache-2.0
// Small steps over a line of text. Stateless; views point into the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace polyrail::read {

inline bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view trim(std::string_view text);

// Takes `prefix` off the front of `text`; false when it is not there.
bool skip(std::string_view& text, std::string_view prefix);

// Takes spaces and then the next word (up to a space) off the front; empty at the end.
std::string_view nextWord(std::string_view& text);

// Takes spaces and then an unsigned integer off the front.
std::optional<uint64_t> nextInteger(std::string_view& text);

// The integer behind the first `label` in `text`: integerAfter("rank 0 nranks 16", "nranks ") is 16.
std::optional<uint64_t> integerAfter(std::string_view text, std::string_view label);

// "2.22.3" of "2.22.3+cuda12.2"; empty unless it is digits and dots.
std::string_view dottedVersion(std::string_view text);

// The part behind the last '/'.
std::string_view baseName(std::string_view path);

}  // namespace polyrail::read
