// SPDX-License-Identifier: Apache-2.0
#include "common/policy/json_tree.h"

namespace polyrail {
namespace {

constexpr size_t kLongestQuote = 64;

std::string printable(std::string_view word) {
  std::string text;
  for (char c : word.substr(0, kLongestQuote)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > kLongestQuote ? "..." : "");
}

}  // namespace

const char* describe(JsonKind kind) {
  constexpr const char* kWords[] = {"null",     "true or false", "a number", "a negative number",
                                    "a number", "a string",      "a list",   "an object"};
  return kWords[static_cast<size_t>(kind)];
}

const JsonNode* JsonTree::find(const JsonNode& object, std::string_view wanted) const {
  if (object.kind != JsonKind::kObject) return nullptr;
  for (const JsonNode* n = firstChild(object); n; n = nextSibling(*n))
    if (key(*n) == wanted) return n;
  return nullptr;
}

const JsonNode* JsonTree::element(const JsonNode& array, size_t index) const {
  if (array.kind != JsonKind::kArray) return nullptr;
  const JsonNode* n = firstChild(array);
  while (n && index--) n = nextSibling(*n);
  return n;
}

size_t JsonTree::indexIn(const JsonNode& array, const JsonNode& child) const {
  size_t index = 0;
  for (const JsonNode* n = firstChild(array); n && n != &child; n = nextSibling(*n)) index++;
  return index;
}

std::string JsonTree::path(const JsonNode& node) const {
  std::string text;
  for (const JsonNode* n = &node; n != &root(); n = &nodes_[n->parent]) {
    const JsonNode& parent = nodes_[n->parent];
    std::string step;
    if (parent.kind == JsonKind::kArray)
      step = "[" + std::to_string(indexIn(parent, *n)) + "]";
    else
      step = (&parent == &root() ? "" : ".") + printable(key(*n));
    text = step + text;
  }
  return text;
}

std::string quoted(std::string_view word) { return "\"" + printable(word) + "\""; }

}  // namespace polyrail
