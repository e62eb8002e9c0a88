// SPDX-License-Identifier: Apache-2.0
// Reads one JSON object field by field and remembers the first thing that is wrong with it, with the place in the
// file ("hosts[0].nics[1].rate"). Each field is taken once; what is left over at finish() is reported as unknown, so
// that a misspelt setting is never silently ignored. Lives on the stack of whoever reads; not thread-safe.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "common/status.h"

namespace polyrail::emu {

class JsonReader {
 public:
  using Json = nlohmann::json;
  // `error` is shared by the readers of one file and keeps the first problem; both must outlive the reader.
  JsonReader(const Json& object, std::string place, std::string* error);

  void text(const char* key, std::string* out);
  void flag(const char* key, bool* out);
  void number(const char* key, double* out, double min, double max);
  template <typename Int>
  void integer(const char* key, Int* out, int64_t min, int64_t max) {
    if (const std::optional<int64_t> v = whole(key, min, max)) *out = static_cast<Int>(*v);
  }
  void time(const char* key, int64_t* out);
  void rate(const char* key, int64_t* out);
  void bytes(const char* key, int64_t* out);
  // The array or object below a key, or null; counts as taken.
  const Json* array(const char* key);
  const Json* object(const char* key);
  bool has(const char* key) const { return object_.contains(key); }
  std::string place(const char* key) const { return place_.empty() ? key : place_ + "." + key; }

  void fail(const char* key, const std::string& why);
  void finish();  // complains about every field nobody took

 private:
  const Json* take(const char* key);
  std::optional<int64_t> whole(const char* key, int64_t min, int64_t max);
  void quantity(const char* key, int64_t* out, std::optional<int64_t> (*parse)(std::string_view), const char* like);

  const Json& object_;
  std::string place_;
  std::string* error_;
  std::set<std::string> taken_;
};

// Parses a whole file's text; the error names line and column.
Result<nlohmann::json> parseJson(const std::string& text, const std::string& name);

}  // namespace polyrail::emu
