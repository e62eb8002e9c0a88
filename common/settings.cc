// SPDX-License-Identifier: Apache-2.0
#include "common/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace polyrail {
namespace {

constexpr Setting kSettings[] = {
    {kSettingPolicy, "tuner", SettingType::kPath, "", 0, 0, "",
     "Policy file to use; unset: /etc/polyrail/policy.json if it is there; 'none': no policy."},
    {kSettingTunerLog, "tuner", SettingType::kInteger, "1", 0, 2, "",
     "What the tuner logs through NCCL: 0 only warnings; 1 also a line as a communicator begins (digest, shape, "
     "number of rules that fit) and one as it ends (calls decided); 2 also those rules."},
};

Status wrongValue(const Setting& s, const char* text) {
  std::string allowed;
  if (s.type == SettingType::kInteger)
    allowed = "a whole number from " + std::to_string(s.min) + " to " + std::to_string(s.max);
  else
    allowed = std::string("one of ") + s.words;
  return Status::error(std::string(s.name) + "=" + text + " is not " + allowed + "; using " + s.fallback);
}

bool isInteger(const Setting& s, const char* text) {
  int64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value >= s.min && value <= s.max;
}

bool isWord(const Setting& s, std::string_view text) {
  std::string_view words = s.words;
  while (!words.empty()) {
    const size_t bar = std::min(words.find('|'), words.size());
    if (words.substr(0, bar) == text) return true;
    words.remove_prefix(std::min(bar + 1, words.size()));
  }
  return false;
}

bool fits(const Setting& s, const char* text) {
  if (s.type == SettingType::kInteger) return isInteger(s, text);
  return s.type == SettingType::kPath || isWord(s, text);
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

const Setting* findSetting(const char* name) {
  for (const Setting& s : kSettings)
    if (std::strcmp(s.name, name) == 0) return &s;
  return nullptr;
}

Result<SettingValue> readSetting(const Setting& s) {
  const char* text = std::getenv(s.name);
  if (!text || !*text) return SettingValue{s.fallback, false};
  if (!fits(s, text)) return wrongValue(s, text);
  return SettingValue{text, true};
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
