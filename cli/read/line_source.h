// SPDX-License-Identifier: Apache-2.0
// A file, pipe or memory as lines, through one buffer of fixed size: a line longer than kLongestLine is given cut to
// that length and the rest of it is skipped. One reader, one thread; the descriptor stays the caller's.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace polyrail::read {

struct Line {
  std::string_view text;   // without the line end ("\n" or "\r\n"); valid until the next call
  uint64_t number = 0;     // 1-based
  bool endsFile = false;   // no line end follows: the file ends here, or the line was cut
  bool hasEscape = false;  // may hold an ANSI escape
};

class LineSource {
 public:
  static constexpr size_t kBlock = 1 << 20;
  static constexpr size_t kLongestLine = 1 << 16;

  explicit LineSource(int fd);
  explicit LineSource(std::string_view memory);

  // The first bytes, at most kLongestLine, without taking them.
  std::string_view peek();
  // Takes a UTF-8 byte order mark, if the input begins with one.
  void skipMark();
  bool next(Line& line);

  // One byte at a time, from where the last line ended or, after unread(), from the middle of it; -1 at the end.
  int get() {
    if (begin_ == end_ && !refill()) return -1;
    const char c = buffer_[begin_++];
    lineNumber_ += c == '\n';
    return static_cast<unsigned char>(c);
  }
  // Gives back the last line from its byte `from` on; only right after next().
  void unread(const Line& line, size_t from);

  uint64_t bytes() const { return bytes_; }
  uint64_t lines() const { return lineNumber_; }
  // errno of the read that failed, or 0.
  int error() const { return error_; }

  std::function<void(uint64_t)> progress;

 private:
  bool refill();
  size_t readInto(char* to, size_t most);
  void skipRestOfLine();
  bool lastLine(Line& line);

  int fd_ = -1;
  std::string_view memory_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0, end_ = 0;
  bool escapes_ = false, finished_ = false, skipping_ = false;
  uint64_t bytes_ = 0, lineNumber_ = 0;
  int error_ = 0;
};

}  // namespace polyrail::read
