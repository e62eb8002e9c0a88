// SPDX-License-Identifier: Apache-2.0
#include "common/policy/field_reader.h"

#include <climits>

#include "common/policy/byte_size.h"
#include "common/text/suggest.h"

namespace polyrail {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

// JSON has one kind of number: 1e6 and 4.0 are whole too (JSON Schema says the same).
std::optional<uint64_t> wholeOf(const JsonNode& node) {
  if (node.kind == JsonKind::kUnsigned) return node.number;
  if (node.kind != JsonKind::kFloat || node.real < 0 || node.real >= kTwoTo64) return std::nullopt;
  const uint64_t value = static_cast<uint64_t>(node.real);
  if (static_cast<double>(value) != node.real) return std::nullopt;
  return value;
}

bool isNumber(const JsonNode& node) {
  return node.kind == JsonKind::kUnsigned || node.kind == JsonKind::kNegative || node.kind == JsonKind::kFloat;
}

// A suggestion costs length times length; nothing that long is a typing error.
std::string suggestion(const std::string& written, const std::vector<std::string>& known) {
  return written.size() > 40 ? std::string() : didYouMean(written, known);
}

}  // namespace

void FieldReader::fail(const JsonNode& node, const std::string& reason) {
  failAt(node.line, tree_.path(node), reason);
}

void FieldReader::failAt(uint32_t line, const std::string& path, const std::string& reason) {
  if (problem_) return;
  problem_ = Status::error(place_ + ":" + std::to_string(line) + ": " + (path.empty() ? "" : path + ": ") + reason);
}

bool FieldReader::expect(const JsonNode& node, JsonKind kind) {
  if (node.kind == kind) return true;
  wrongKind(node, describe(kind));
  return false;
}

void FieldReader::wrongKind(const JsonNode& node, const char* wanted) {
  fail(node, std::string("must be ") + wanted + ", not " + describe(node.kind));
}

void FieldReader::unknownKey(const JsonNode& node, const std::vector<std::string>& known) {
  const std::string key(tree_.key(node));
  failAt(node.line, tree_.path(tree_.parent(node)), "unknown key " + quoted(key) + suggestion(key, known));
}

void FieldReader::unknownWord(const JsonNode& node, const std::string& written,
                              const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& word : known) all += (all.empty() ? "" : ", ") + word;
  const std::string near = suggestion(written, known);
  fail(node, quoted(written) + " is not known" + (near.empty() ? "; one of " + all : near));
}

void FieldReader::missing(const JsonNode& node, std::string_view key) { fail(node, "has no " + quoted(key)); }

std::string FieldReader::text(const JsonNode& node) {
  return expect(node, JsonKind::kString) ? std::string(tree_.string(node)) : std::string();
}

bool FieldReader::boolean(const JsonNode& node) { return expect(node, JsonKind::kBoolean) && node.number != 0; }

double FieldReader::number(const JsonNode& node) {
  if (node.kind == JsonKind::kFloat) return node.real;
  if (node.kind == JsonKind::kNegative) return static_cast<double>(node.negative);
  if (node.kind == JsonKind::kUnsigned) return static_cast<double>(node.number);
  wrongKind(node, "a number");
  return 0;
}

uint64_t FieldReader::whole(const JsonNode& node) {
  if (const std::optional<uint64_t> value = wholeOf(node)) return *value;
  if (!isNumber(node))
    wrongKind(node, "a whole number");
  else if (node.kind == JsonKind::kFloat && node.real >= kTwoTo64)
    fail(node, "is too large; the largest is 18446744073709551615");
  else
    fail(node, "must be a whole number, 0 or more");
  return 0;
}

int FieldReader::smallWhole(const JsonNode& node) {
  const uint64_t value = whole(node);
  if (value <= INT_MAX) return static_cast<int>(value);
  fail(node, "is too large; the largest is 2147483647");
  return 0;
}

uint64_t FieldReader::bytes(const JsonNode& node) {
  if (node.kind != JsonKind::kString) return whole(node);
  const std::string written = text(node);
  if (const std::optional<uint64_t> value = parseByteSize(written)) return *value;
  fail(node,
       quoted(written) + " is no size; write bytes, or a string such as \"64KiB\" (K, M, G, T: powers of 1024)");
  return 0;
}

Range FieldReader::range(const JsonNode& node) {
  if (node.kind != JsonKind::kArray) {
    const uint64_t value = whole(node);
    return {value, value};
  }
  const JsonNode* low = tree_.element(node, 0);
  const JsonNode* high = tree_.element(node, 1);
  if (!low || !high || tree_.element(node, 2)) {
    fail(node, "must be a number or [min, max]; a max of null means no limit");
    return {};
  }
  const uint64_t min = whole(*low);
  return {min, high->kind == JsonKind::kNull ? kNoLimit : whole(*high)};
}

}  // namespace polyrail
