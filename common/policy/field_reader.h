// SPDX-License-Identifier: Apache-2.0
// Turns nodes of a JsonTree into values, by tables of fields: each object's keys are written down once, and what a
// misspelt key is compared with is that same table. The first problem is kept and later reads go on with defaults, so
// readers need no branches. One per document, one thread; holds references to the tree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/policy/json_tree.h"
#include "common/policy/policy.h"

namespace polyrail {

class FieldReader;

// One key of an object that becomes a T.
template <typename T>
struct Field {
  std::string_view key;
  bool required;
  void (*read)(FieldReader& in, const JsonNode& value, T& into);
};
inline constexpr bool kRequired = true, kOptional = false;

class FieldReader {
 public:
  FieldReader(const JsonTree& tree, std::string_view place) : tree_(tree), place_(place) {}

  const JsonTree& tree() const { return tree_; }
  const std::optional<Status>& problem() const { return problem_; }
  // "PLACE:LINE: PATH: REASON", unless there is a problem already.
  void fail(const JsonNode& node, const std::string& reason);

  template <typename T>
  void object(const JsonNode& node, std::span<const Field<T>> fields, T& into) {
    if (!expect(node, JsonKind::kObject)) return;
    for (const JsonNode* n = tree_.firstChild(node); n && !problem_; n = tree_.nextSibling(*n))
      if (const Field<T>* field = findField(fields, tree_.key(*n)))
        field->read(*this, *n, into);
      else if (!isFree(tree_.key(*n)))
        unknownKey(*n, keysOf(fields));
    for (const Field<T>& field : fields)
      if (field.required && !tree_.find(node, field.key)) missing(node, field.key);
  }

  // Calls each(*this, element) for a list of at most `most` elements.
  template <typename Each>
  void list(const JsonNode& node, size_t most, Each each) {
    if (!expect(node, JsonKind::kArray)) return;
    size_t seen = 0;
    for (const JsonNode* n = tree_.firstChild(node); n && !problem_; n = tree_.nextSibling(*n)) {
      if (++seen > most) return fail(node, "has more than " + std::to_string(most) + " entries");
      each(*n);
    }
  }

  std::string text(const JsonNode& node);
  bool boolean(const JsonNode& node);
  double number(const JsonNode& node);
  uint64_t whole(const JsonNode& node);  // 0 .. 2^64-1
  int smallWhole(const JsonNode& node);  // 0 .. 2^31-1
  uint64_t bytes(const JsonNode& node);  // whole, or "64KiB"
  Range range(const JsonNode& node);     // N, [min, max] or [min, null]

  // One of NCCL's names as terms.h spells it: one spelling in every file, though `parse` may know more.
  template <typename Enum>
  Enum word(const JsonNode& node, std::optional<Enum> (*parse)(std::string_view), std::string_view (*name)(Enum),
            int count) {
    const std::string written = text(node);
    if (problem_) return Enum{};
    const std::optional<Enum> value = parse(written);
    if (value && name(*value) == written) return *value;
    std::vector<std::string> known;
    for (int i = 0; i < count; i++) known.emplace_back(name(static_cast<Enum>(i)));
    value ? fail(node, polyrail::quoted(written) + " is spelled " + polyrail::quoted(name(*value)) + " here")
          : unknownWord(node, written, known);
    return Enum{};
  }
  void unknownWord(const JsonNode& node, const std::string& written, const std::vector<std::string>& known);

 private:
  void failAt(uint32_t line, const std::string& path, const std::string& reason);
  bool expect(const JsonNode& node, JsonKind kind);
  void wrongKind(const JsonNode& node, const char* wanted);
  void unknownKey(const JsonNode& node, const std::vector<std::string>& known);
  void missing(const JsonNode& node, std::string_view key);
  // Keys for people and for other programs; never read.
  static bool isFree(std::string_view key) { return key == "comment" || key == "$schema" || key.starts_with("x-"); }

  template <typename T>
  static const Field<T>* findField(std::span<const Field<T>> fields, std::string_view key) {
    for (const Field<T>& field : fields)
      if (field.key == key) return &field;
    return nullptr;
  }
  template <typename T>
  static std::vector<std::string> keysOf(std::span<const Field<T>> fields) {
    std::vector<std::string> keys;
    for (const Field<T>& field : fields) keys.emplace_back(field.key);
    return keys;
  }

  const JsonTree& tree_;
  std::string place_;
  std::optional<Status> problem_;
};

}  // namespace polyrail
