// SPDX-License-Identifier: Apache-2.0
// The bytes of a JSON text made fit for a strict parser, in bounded memory whatever the text: strings and bare words
// are cut to a length that no real one has, "inf" and "nan" (nccl-tests prints doubles with %lf) become null, commas
// before a closing bracket go, and bytes that are not ASCII become '?'. An input iterator for nlohmann::json.
#pragma once

#include <array>
#include <iterator>

#include "cli/read/line_source.h"

namespace polyrail::read {

class JsonBytes {
 public:
  static constexpr size_t kLongestString = 4096, kLongestWord = 64;

  explicit JsonBytes(LineSource& source) : source_(source) {}

  // -1 at the end of the input.
  int next();
  bool ended() const { return ended_; }

 private:
  int read();
  int insideString(int c);
  int bareWord(int first);
  int queued();

  LineSource& source_;
  std::array<char, kLongestWord> queue_;  // a word that was looked at as a whole
  size_t queueAt_ = 0, queueEnd_ = 0;
  int pushedBack_ = -2;
  bool inString_ = false, escaped_ = false, ended_ = false;
  size_t stringLength_ = 0;
};

class JsonBytesIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonBytesIterator() = default;
  explicit JsonBytesIterator(JsonBytes& bytes) : bytes_(&bytes) {}

  char operator*() const { return static_cast<char>(current_); }
  JsonBytesIterator& operator++() {
    have_ = false;
    return *this;
  }
  // The only comparison there is: with the end. Reads no byte before it is asked for.
  bool operator==(const JsonBytesIterator&) const {
    if (bytes_ != nullptr && !have_) {
      current_ = bytes_->next();
      have_ = true;
    }
    return bytes_ == nullptr || current_ < 0;
  }
  bool operator!=(const JsonBytesIterator& end) const { return !(*this == end); }

 private:
  JsonBytes* bytes_ = nullptr;
  mutable int current_ = -1;
  mutable bool have_ = false;
};

}  // namespace polyrail::read
