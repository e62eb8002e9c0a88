// SPDX-License-Identifier: Apache-2.0
// Builds a JsonTree from nlohmann's event parser, which is iterative: what bounds memory and depth are the checks in
// the events here.
#include <locale.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "common/policy/json_tree.h"

namespace polyrail {
namespace {

// The parser asks the C library for the decimal point; the process may have any. This thread gets "C" for a while;
// other threads do not notice.
class CNumbers {
 public:
  CNumbers() : c_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(c_)) {}
  ~CNumbers() {
    uselocale(before_);
    if (c_) freelocale(c_);
  }
  CNumbers(const CNumbers&) = delete;
  CNumbers& operator=(const CNumbers&) = delete;

 private:
  locale_t c_, before_;
};

// Lets the events see how far the parser has read.
class TrackedChars {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedChars(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  TrackedChars& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const TrackedChars& other) const { return at_ == other.at_; }
  bool operator!=(const TrackedChars& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// "[json.exception.parse_error.101] parse error at line 1, column 2: REASON" -> "REASON", printable and short.
std::string plainReason(const char* what) {
  constexpr size_t kLongest = 160;
  std::string_view text = what;
  if (const size_t at = text.find("; last read: '"); at != text.npos) text = text.substr(0, at);
  if (const size_t colon = text.find(": "); text.starts_with("[json") && colon != text.npos)
    text.remove_prefix(colon + 2);
  else if (const size_t bracket = text.find("] "); bracket != text.npos)
    text.remove_prefix(bracket + 2);
  std::string reason;
  for (char c : text.substr(0, kLongest)) reason += c >= ' ' && c <= '~' ? c : '?';
  return reason;
}

}  // namespace

// nlohmann's SAX interface; a false return ends parsing.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder(std::string_view json, std::string_view place) : place_(place), counted_(json.data()) {
    reached_ = json.data();
    tree_.pool_.reserve(json.size());
  }

  bool null() { return add(JsonKind::kNull) != nullptr; }
  bool boolean(bool value) { return addNumber(JsonKind::kBoolean, value ? 1 : 0); }
  bool number_unsigned(uint64_t value) { return addNumber(JsonKind::kUnsigned, value); }
  bool number_integer(int64_t value) {
    JsonNode* n = add(value < 0 ? JsonKind::kNegative : JsonKind::kUnsigned);
    if (n) n->negative = value;
    return n;
  }
  bool number_float(double value, const std::string&) {
    JsonNode* n = add(JsonKind::kFloat);
    if (n) n->real = value;
    return n;
  }
  bool string(const std::string& value) {
    JsonNode* n = add(JsonKind::kString);
    if (n) n->text = keep(value);
    return n;
  }
  bool binary(const std::vector<uint8_t>&) { return fail("binary values are not JSON"); }
  bool key(const std::string& name) {
    key_ = keep(name);
    return true;
  }
  bool start_object(size_t) { return open(JsonKind::kObject); }
  bool start_array(size_t) { return open(JsonKind::kArray); }
  bool end_object() { return noKeyTwice() && close(); }
  bool end_array() { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) {
    return fail(plainReason(error.what()));
  }

  Result<JsonTree> build(std::string_view json) {
    // The parser would take a NUL for the end and never see what follows.
    if (const size_t nul = json.find('\0'); nul != json.npos) {
      reached_ = json.data() + nul;
      return fail("has a zero byte; it is no text"), Status::error(error_);
    }
    const CNumbers numbers;
    const TrackedChars begin(json.data(), &reached_), end(json.data() + json.size(), &reached_);
    if (!nlohmann::json::sax_parse(begin, end, this)) return Status::error(error_);
    return std::move(tree_);
  }

 private:
  struct Level {
    uint32_t node, lastChild;
  };

  bool fail(const std::string& reason) {
    countLines();
    if (error_.empty()) error_ = place_ + ":" + std::to_string(line_) + ": " + reason;
    return false;
  }
  // The parser is one character ahead after a number; the newline there belongs to the next value.
  void countLines() {
    const char* until = reached_ == counted_ ? reached_ : reached_ - 1;
    line_ += static_cast<uint32_t>(std::count(counted_, until, '\n'));
    counted_ = until;
  }
  JsonNode::Text keep(const std::string& text) {
    const JsonNode::Text where{static_cast<uint32_t>(tree_.pool_.size()), static_cast<uint32_t>(text.size())};
    tree_.pool_ += text;
    return where;
  }

  // The new node hangs below the innermost open list or object.
  JsonNode* add(JsonKind kind) {
    const uint32_t index = static_cast<uint32_t>(tree_.nodes_.size());
    if (index >= kMaxJsonValues) return fail("more than 2000000 values"), nullptr;
    countLines();
    JsonNode& n = tree_.nodes_.emplace_back();
    n.kind = kind;
    n.line = line_;
    if (open_.empty()) return &n;
    Level& level = open_.back();
    n.parent = level.node;
    n.key = key_;
    key_ = {};
    (level.lastChild ? tree_.nodes_[level.lastChild].next : tree_.nodes_[level.node].first) = index;
    level.lastChild = index;
    return &n;
  }
  bool addNumber(JsonKind kind, uint64_t value) {
    JsonNode* n = add(kind);
    if (n) n->number = value;
    return n;
  }
  bool open(JsonKind kind) {
    if (open_.size() >= kMaxJsonDepth)
      return fail("nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    if (!add(kind)) return false;
    open_.push_back({static_cast<uint32_t>(tree_.nodes_.size() - 1), 0});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool noKeyTwice() {
    keys_.clear();
    const JsonNode& object = tree_.nodes_[open_.back().node];
    for (const JsonNode* n = tree_.firstChild(object); n; n = tree_.nextSibling(*n)) keys_.push_back(tree_.key(*n));
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice == keys_.end()) return true;
    return fail("the object that ends here has " + quoted(*twice) + " twice");
  }

  std::string place_, error_;
  const char* reached_;  // first byte the parser has not taken
  const char* counted_;  // newlines before it are in line_
  uint32_t line_ = 1;
  JsonNode::Text key_;
  std::vector<Level> open_;
  std::vector<std::string_view> keys_;
  JsonTree tree_;
};

Result<JsonTree> JsonTree::parse(std::string_view json, std::string_view place) {
  try {
    return JsonTreeBuilder(json, place).build(json);
  } catch (const std::bad_alloc&) {
    return Status::error(std::string(place) + ": not enough memory to read it");
  } catch (const std::exception& error) {
    return Status::error(std::string(place) + ": " + plainReason(error.what()));
  }
}

}  // namespace polyrail
