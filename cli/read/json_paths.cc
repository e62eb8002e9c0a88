// SPDX-License-Identifier: Apache-2.0
#include "cli/read/json_paths.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/read/json_bytes.h"

namespace polyrail::read {
namespace {

using nlohmann::json;

constexpr size_t kDeepest = 32;  // nccl-tests nests six deep
constexpr size_t kLongestKey = 64;

class Paths : public nlohmann::json_sax<json> {
 public:
  explicit Paths(JsonEvents& events) : events_(events) {}

  bool null() override { return scalar({}); }
  bool boolean(bool b) override { return scalar({JsonScalar::Kind::kString, 0, b ? "true" : "false"}); }
  bool number_integer(int64_t n) override { return number(static_cast<double>(n), std::to_string(n)); }
  bool number_unsigned(uint64_t n) override { return number(static_cast<double>(n), std::to_string(n)); }
  bool number_float(double n, const std::string& text) override { return number(n, text); }
  bool string(std::string& text) override { return scalar({JsonScalar::Kind::kString, 0, text}); }
  bool binary(json::binary_t&) override { return false; }

  bool start_object(size_t) override {
    events_.onOpen(path_);
    bases_.push_back(path_.size());
    return bases_.size() <= kDeepest;
  }
  bool key(std::string& name) override {
    path_.resize(bases_.back());
    path_ += '.';
    path_.append(name, 0, kLongestKey);
    return true;
  }
  bool end_object() override {
    path_.resize(bases_.back());
    bases_.pop_back();
    events_.onClose(path_);
    return true;
  }
  bool start_array(size_t) override {
    const bool documents = path_.empty();
    if (!documents) path_ += "[]";
    bases_.push_back(path_.size());
    return bases_.size() <= kDeepest;
  }
  bool end_array() override {
    path_.resize(bases_.back());
    bases_.pop_back();
    events_.onListEnd(path_);
    if (!path_.empty()) path_.resize(path_.size() - 2);
    return true;
  }
  bool parse_error(size_t, const std::string&, const json::exception&) override {
    malformed_ = true;
    return false;
  }

  std::string problem(bool ended, uint64_t line) const {
    if (!malformed_) return fmt::format("the JSON is nested more than {} deep", kDeepest);
    return ended ? "the JSON ends early: the run was killed, or the file is cut"
                 : fmt::format("the JSON is malformed on line {}", line);
  }

 private:
  bool number(double n, const std::string& text) { return scalar({JsonScalar::Kind::kNumber, n, text}); }
  bool scalar(const JsonScalar& value) {
    events_.onScalar(path_, value);
    return true;
  }

  JsonEvents& events_;
  std::string path_;
  std::vector<size_t> bases_;  // lengths of the path at the open objects and arrays
  bool malformed_ = false;
};

}  // namespace

std::string readJsonPaths(LineSource& source, JsonEvents& events) {
  JsonBytes bytes(source);
  Paths paths(events);
  const bool whole = json::sax_parse(JsonBytesIterator(bytes), JsonBytesIterator(), &paths,
                                     json::input_format_t::json, /*strict=*/false);
  return whole ? std::string() : paths.problem(bytes.ended(), source.lines() + 1);
}

}  // namespace polyrail::read
