// SPDX-License-Identifier: Apache-2.0
#include "common/settings.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "common/settings_table.h"

namespace polyrail {
namespace {

Status wrongValue(const Setting& s, const char* text) {
  std::string allowed;
  if (s.type == SettingType::kInteger)
    allowed = "a whole number from " + std::to_string(s.min) + " to " + std::to_string(s.max);
  else
    allowed = std::string("one of ") + s.words;
  return Status::error(std::string(s.name) + "=" + text + " is not " + allowed + "; using " +
                       (*s.fallback ? s.fallback : "none"));
}

bool isNccls(const Setting& s) { return std::strncmp(s.name, "NCCL_", 5) == 0; }

// NCCL reads its integers with strtoll's base 0 (src/misc/param.cc, 2.30.7): hex after 0x, octal after 0.
int baseOf(const Setting& s, std::string_view* digits) {
  if (!isNccls(s) || digits->size() < 2 || (*digits)[0] != '0') return 10;
  const bool hex = ((*digits)[1] | 0x20) == 'x';
  digits->remove_prefix(hex ? 2 : 1);
  return hex ? 16 : 8;
}

std::optional<int64_t> integer(const Setting& s, std::string_view text) {
  const bool prefixed = text.size() > 1 && text[0] == '0';
  const int base = baseOf(s, &text);
  if (prefixed && base != 10 && text[0] == '-') return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || rest != end || value < s.min || value > s.max) return std::nullopt;
  return value;
}

// NCCL's switches are numbers, and people write ours so too.
const char* switchWord(const char* text) {
  if (std::strcmp(text, "0") == 0) return "off";
  return std::strcmp(text, "1") == 0 ? "on" : text;
}

// The word as the table writes it; NCCL's are taken in either case.
std::optional<std::string> word(const Setting& s, const char* text) {
  text = switchWord(text);
  std::string_view words = s.words;
  while (!words.empty()) {
    const size_t bar = std::min(words.find('|'), words.size());
    const std::string one(words.substr(0, bar));
    if (isNccls(s) ? ::strcasecmp(one.c_str(), text) == 0 : one == text) return one;
    words.remove_prefix(std::min(bar + 1, words.size()));
  }
  return std::nullopt;
}

// As the table would write it: decimal, a word of the list. Nothing when it is not allowed.
std::optional<std::string> normal(const Setting& s, const char* text) {
  if (s.type == SettingType::kWord) return word(s, text);
  if (s.type != SettingType::kInteger) return text;
  const std::optional<int64_t> value = integer(s, text);
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

}  // namespace

std::span<const Setting> settings() { return allSettings(); }

const Setting* findSetting(const char* name) {
  for (const Setting& s : allSettings())
    if (std::strcmp(s.name, name) == 0) return &s;
  return nullptr;
}

Result<SettingValue> readSetting(const Setting& s) {
  const char* text = std::getenv(s.name);
  if (!text || !*text) return SettingValue{s.fallback, false};
  std::optional<std::string> value = normal(s, text);
  if (!value) return wrongValue(s, text);
  return SettingValue{*std::move(value), true};
}

int64_t readInteger(const char* name, std::string* problem) {
  const Setting& s = *findSetting(name);
  const Result<SettingValue> read = readSetting(s);
  if (!read.ok() && problem) *problem = read.message();
  const std::string text = read.ok() ? read.value().text : s.fallback;
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace polyrail
