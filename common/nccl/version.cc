// SPDX-License-Identifier: Apache-2.0
#include "common/nccl/version.h"

#include <charconv>

namespace polyrail::nccl {
namespace {

// Takes a number below 100 off the front.
bool takeNumber(std::string_view& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > 99) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool takeDot(std::string_view& text) {
  if (text.empty() || text.front() != '.') return false;
  text.remove_prefix(1);
  return true;
}

// Until 2.8 the code had one digit for the minor version.
int code(int major, int minor, int patch) {
  return minor < 9 ? major * 1000 + minor * 100 + patch : major * 10000 + minor * 100 + patch;
}

}  // namespace

std::optional<int> parseVersion(std::string_view text) {
  int major = 0, minor = 0, patch = 0;
  if (!takeNumber(text, major) || major != 2 || !takeDot(text) || !takeNumber(text, minor)) return std::nullopt;
  if (takeDot(text) && !takeNumber(text, patch)) return std::nullopt;
  if (!text.empty() && text.front() != '+') return std::nullopt;
  return code(major, minor, patch);
}

std::string versionText(int c) {
  const int scale = c >= 10000 ? 10000 : 1000;
  return std::to_string(c / scale) + '.' + std::to_string(c % scale / 100) + '.' + std::to_string(c % 100);
}

}  // namespace polyrail::nccl
