// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/json_reader.h"

#include "test/emu/core/units.h"

namespace polyrail::emu {

JsonReader::JsonReader(const Json& object, std::string place, std::string* error)
    : object_(object), place_(std::move(place)), error_(error) {
  if (!object_.is_object() && error_->empty()) *error_ = place_ + ": expected an object { ... }";
}

void JsonReader::fail(const char* key, const std::string& why) {
  if (error_->empty()) *error_ = place(key) + ": " + why;
}

const JsonReader::Json* JsonReader::take(const char* key) {
  if (!object_.is_object()) return nullptr;
  const auto it = object_.find(key);
  if (it == object_.end()) return nullptr;
  taken_.insert(key);
  return &*it;
}

void JsonReader::text(const char* key, std::string* out) {
  const Json* v = take(key);
  if (!v) return;
  if (v->is_string())
    *out = v->get<std::string>();
  else
    fail(key, "expected a text in quotes");
}

void JsonReader::flag(const char* key, bool* out) {
  const Json* v = take(key);
  if (!v) return;
  if (v->is_boolean())
    *out = v->get<bool>();
  else
    fail(key, "expected true or false");
}

void JsonReader::number(const char* key, double* out, double min, double max) {
  const Json* v = take(key);
  if (!v) return;
  if (v->is_number() && v->get<double>() >= min && v->get<double>() <= max)
    *out = v->get<double>();
  else
    fail(key, "expected a number from " + std::to_string(min) + " to " + std::to_string(max));
}

std::optional<int64_t> JsonReader::whole(const char* key, int64_t min, int64_t max) {
  const Json* v = take(key);
  if (!v) return std::nullopt;
  if (v->is_number_integer() && v->get<int64_t>() >= min && v->get<int64_t>() <= max) return v->get<int64_t>();
  fail(key, "expected a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

void JsonReader::quantity(const char* key, int64_t* out, std::optional<int64_t> (*parse)(std::string_view),
                          const char* like) {
  const Json* v = take(key);
  if (!v) return;
  const std::optional<int64_t> value = parse(v->is_string() ? v->get<std::string>() : v->dump());
  if (value)
    *out = *value;
  else
    fail(key, v->dump() + " is not a quantity like " + like);
}

void JsonReader::time(const char* key, int64_t* out) { quantity(key, out, parseTime, "\"10us\""); }
void JsonReader::rate(const char* key, int64_t* out) { quantity(key, out, parseRate, "\"100Gb/s\""); }
void JsonReader::bytes(const char* key, int64_t* out) { quantity(key, out, parseBytes, "\"64KiB\""); }

const JsonReader::Json* JsonReader::array(const char* key) {
  const Json* v = take(key);
  if (v && !v->is_array()) fail(key, "expected a list [ ... ]");
  return v && v->is_array() ? v : nullptr;
}

const JsonReader::Json* JsonReader::object(const char* key) {
  const Json* v = take(key);
  if (v && !v->is_object()) fail(key, "expected an object { ... }");
  return v && v->is_object() ? v : nullptr;
}

void JsonReader::finish() {
  if (!object_.is_object()) return;
  for (const auto& [key, value] : object_.items())
    if (!taken_.contains(key)) return fail(key.c_str(), "unknown field; see test/emu/README.md for the known ones");
}

Result<nlohmann::json> parseJson(const std::string& text, const std::string& name) {
  try {
    return nlohmann::json::parse(text, nullptr, true, true);
  } catch (const nlohmann::json::exception& e) {
    return Status::error(name + ": not JSON: " + e.what());
  }
}

}  // namespace polyrail::emu
