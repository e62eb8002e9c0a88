// SPDX-License-Identifier: Apache-2.0
// A JSON document as a tree that remembers lines, so that an error found late still says where. Built once, then
// const: any thread may read it. Memory and stack are bounded whatever the text holds: depth and number of values are
// limited while reading, nothing recurses. Numbers read the same in every locale of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"

namespace polyrail {

inline constexpr size_t kMaxJsonDepth = 32;
inline constexpr size_t kMaxJsonValues = 2'000'000;  // 80 MB of nodes; 16 MiB of the densest rules have fewer

enum class JsonKind : uint8_t { kNull, kBoolean, kUnsigned, kNegative, kFloat, kString, kArray, kObject };

// "a string", "a number", ... for messages.
const char* describe(JsonKind kind);

struct JsonNode {
  struct Text {
    uint32_t at = 0, size = 0;
  };
  JsonKind kind = JsonKind::kNull;
  uint32_t line = 0;                         // 1-based, where the value begins (of a string: ends, which is the same)
  uint32_t parent = 0, first = 0, next = 0;  // indices of nodes; 0: none, as the root is nobody's child or sibling
  Text key;                                  // in an object
  Text text;                                 // of a string
  union {
    uint64_t number = 0;  // kUnsigned, kBoolean
    int64_t negative;
    double real;
  };
};

class JsonTree {
 public:
  // Accepts a UTF-8 byte order mark and CRLF. Errors: "PLACE:LINE: reason"; duplicate keys are one.
  static Result<JsonTree> parse(std::string_view json, std::string_view place);

  const JsonNode& root() const { return nodes_.front(); }
  const JsonNode* firstChild(const JsonNode& node) const { return at(node.first); }
  const JsonNode* nextSibling(const JsonNode& node) const { return at(node.next); }
  const JsonNode& parent(const JsonNode& node) const { return nodes_[node.parent]; }  // of the root: itself
  // nullptr when there is none, or when the node is of another kind.
  const JsonNode* find(const JsonNode& object, std::string_view key) const;
  const JsonNode* element(const JsonNode& array, size_t index) const;

  std::string_view key(const JsonNode& node) const { return view(node.key); }
  std::string_view string(const JsonNode& node) const { return view(node.text); }
  // "tables[0].rules[3].from"; "" for the root.
  std::string path(const JsonNode& node) const;

 private:
  friend class JsonTreeBuilder;
  const JsonNode* at(uint32_t index) const { return index ? &nodes_[index] : nullptr; }
  std::string_view view(JsonNode::Text t) const { return std::string_view(pool_).substr(t.at, t.size); }
  size_t indexIn(const JsonNode& array, const JsonNode& child) const;

  std::vector<JsonNode> nodes_;
  std::string pool_;  // keys and strings, decoded, one after the other
};

// A word of the file for an error message: in quotes, short, printable whatever it held.
std::string quoted(std::string_view word);

}  // namespace polyrail
