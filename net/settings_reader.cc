// SPDX-License-Identifier: Apache-2.0
#include "net/settings_reader.h"

#include <algorithm>
#include <charconv>

#include "common/settings.h"

namespace polyrail::net {
namespace {

bool number(const std::string& text, int* value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *value);
  return !text.empty() && error == std::errc() && rest == end && *value >= 0;
}

}  // namespace

std::string SettingsReader::text(const char* name) {
  const Setting& setting = *findSetting(name);
  const Result<SettingValue> read = readSetting(setting);
  if (!read.ok()) {
    refuse(name, read.message());
    return setting.fallback;
  }
  if (!read.value().fromEnvironment) return read.value().text;
  std::string line = std::string(name) + "=" + read.value().text;
  if (std::find(honoured_->begin(), honoured_->end(), line) == honoured_->end())
    honoured_->push_back(std::move(line));
  return read.value().text;
}

int64_t SettingsReader::integer64(const char* name) {
  const std::string digits = text(name);
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

int SettingsReader::word(const char* name) {
  const std::vector<std::string> words = splitList(findSetting(name)->words, '|');
  return static_cast<int>(std::find(words.begin(), words.end(), text(name)) - words.begin());
}

bool SettingsReader::isSet(const char* name) const {
  const std::string start = std::string(name) + "=";
  return std::any_of(honoured_->begin(), honoured_->end(),
                     [&](const std::string& line) { return line.compare(0, start.size(), start) == 0; });
}

void SettingsReader::refuse(const char* name, const std::string& problem) {
  if (std::find(problems_->begin(), problems_->end(), problem) == problems_->end()) problems_->push_back(problem);
  const std::string start = std::string(name) + "=";
  std::erase_if(*honoured_, [&](const std::string& line) { return line.compare(0, start.size(), start) == 0; });
}

std::vector<std::string> splitList(const std::string& text, char by) {
  std::vector<std::string> parts;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t to = std::min(text.find(by, from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

Result<std::vector<GidOverride>> parseGidOverrides(const std::string& text) {
  std::vector<GidOverride> overrides;
  for (const std::string& part : splitList(text, ',')) {
    const size_t equals = part.find('=');
    const std::string who = part.substr(0, equals);
    const size_t colon = who.find(':');
    GidOverride one;
    one.device = who.substr(0, colon);
    int index = -1;
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    const bool portIsRight = colon == std::string::npos || number(who.substr(colon + 1), &one.port);
    if (one.device.empty() || !portIsRight || (value != "auto" && !number(value, &index)))
      return Status::error("POLYRAIL_GID_INDEX: '" + part + "' is not device[:port]=index, or =auto");
    if (value != "auto") one.index = index;
    overrides.push_back(std::move(one));
  }
  return overrides;
}

}  // namespace polyrail::net
