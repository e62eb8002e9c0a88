// SPDX-License-Identifier: Apache-2.0
// Reads rows of the settings table, gathering what is set and what is wrong. REQUIRES of every name: it is a row of
// that type. Lives while the settings are read; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/settings.h"

namespace polyrail::net {

class SettingsReader {
 public:
  SettingsReader(std::vector<std::string>* problems, std::vector<std::string>* honoured)
      : problems_(problems), honoured_(honoured) {}

  std::string text(const char* name);
  int64_t integer64(const char* name);
  int integer(const char* name) { return static_cast<int>(integer64(name)); }
  bool flag(const char* name) { return integer64(name) != 0; }
  int word(const char* name);  // its place in the list of words
  bool isSet(const char* name) const;

  // The value, or nothing with a problem noted; then the variable does not count as honoured.
  template <typename T>
  std::optional<T> take(const char* name, Result<T> result) {
    if (result.ok()) return std::move(result).value();
    refuse(name, result.message());
    return std::nullopt;
  }
  template <typename T>
  T takeOrEmpty(const char* name, Result<T> result) {
    return take(name, std::move(result)).value_or(T{});
  }

 private:
  void refuse(const char* name, const std::string& problem);

  std::vector<std::string>* problems_;
  std::vector<std::string>* honoured_;
};

// Non-empty parts.
std::vector<std::string> splitList(const std::string& text, char by);
// POLYRAIL_GID_INDEX: "mlx5_0=3,mlx5_1:2=5,mlx5_2=auto".
Result<std::vector<GidOverride>> parseGidOverrides(const std::string& text);

}  // namespace polyrail::net
