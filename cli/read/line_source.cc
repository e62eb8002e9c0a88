// SPDX-License-Identifier: Apache-2.0
#include "cli/read/line_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace polyrail::read {

namespace {
std::string_view withoutReturn(std::string_view text) {
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}
}  // namespace

LineSource::LineSource(int fd) : fd_(fd), buffer_(new char[kBlock + kLongestLine]) {}
LineSource::LineSource(std::string_view memory) : memory_(memory), buffer_(new char[kBlock + kLongestLine]) {}

size_t LineSource::readInto(char* to, size_t most) {
  if (fd_ < 0) {
    const size_t n = std::min(most, memory_.size());
    std::memcpy(to, memory_.data(), n);
    memory_.remove_prefix(n);
    return n;
  }
  while (true) {
    const ssize_t n = ::read(fd_, to, most);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EINTR) continue;
    error_ = errno;
    return 0;
  }
}

// Moves what is left to the front and reads behind it. False at the end of the input.
bool LineSource::refill() {
  if (finished_) return false;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const size_t n = readInto(buffer_.get() + end_, kBlock + kLongestLine - end_);
  // Looked for once a block, so that lines without any pay nothing.
  const bool fresh = std::memchr(buffer_.get() + end_, '\x1b', n) != nullptr;
  escapes_ = fresh || (escapes_ && end_ > 0);
  end_ += n;
  bytes_ += n;
  finished_ = n == 0;
  if (progress && n > 0) progress(bytes_);
  return n > 0;
}

std::string_view LineSource::peek() {
  while (end_ - begin_ < kLongestLine && refill()) {
  }
  return {buffer_.get() + begin_, std::min(end_ - begin_, kLongestLine)};
}

void LineSource::skipRestOfLine() {
  skipping_ = false;
  while (begin_ < end_ || refill()) {
    if (const void* found = std::memchr(buffer_.get() + begin_, '\n', end_ - begin_)) {
      begin_ = static_cast<size_t>(static_cast<const char*>(found) - buffer_.get()) + 1;
      return;
    }
    begin_ = end_;
  }
}

void LineSource::unread(const Line& line, size_t from) {
  begin_ = static_cast<size_t>(line.text.data() - buffer_.get()) + from;
  skipping_ = false;
  lineNumber_--;
}

void LineSource::skipMark() {
  if (peek().substr(0, 3) == "\xef\xbb\xbf") begin_ += 3;
}

bool LineSource::next(Line& line) {
  if (skipping_) skipRestOfLine();
  size_t searched = 0;
  while (true) {
    const char* const from = buffer_.get() + begin_;
    const size_t have = end_ - begin_;
    if (const void* found = std::memchr(from + searched, '\n', have - searched)) {
      const size_t length = static_cast<size_t>(static_cast<const char*>(found) - from);
      line = {withoutReturn({from, std::min(length, kLongestLine)}), ++lineNumber_, length > kLongestLine, escapes_};
      begin_ += length + 1;
      return true;
    }
    if (have >= kLongestLine) {
      line = {{from, kLongestLine}, ++lineNumber_, true, escapes_};
      begin_ += kLongestLine;
      skipping_ = true;
      return true;
    }
    searched = have;
    if (!refill()) return lastLine(line);
  }
}

bool LineSource::lastLine(Line& line) {
  if (begin_ == end_) return false;
  line = {{buffer_.get() + begin_, end_ - begin_}, ++lineNumber_, true, escapes_};
  begin_ = end_;
  return true;
}

}  // namespace polyrail::read
