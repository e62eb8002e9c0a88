// SPDX-License-Identifier: Apache-2.0
// Little-endian bytes in and out, with bounds: the only place where messages of docs/wire-protocol.md become bytes. A
// Reader that runs past its end or meets a wrong value turns bad and stays bad, giving zeros, so that a decoder reads
// straight through and asks once. Not thread-safe; a Reader borrows its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail::net {

class Writer {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::is_integral_v<T>);
    for (size_t i = 0; i < sizeof(T); i++)
      bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
  }
  template <size_t N>
  void raw(const std::array<uint8_t, N>& value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  // Length in one byte; a longer text is cut.
  void text(std::string_view value) {
    value = value.substr(0, 255);
    number(static_cast<uint8_t>(value.size()));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    uint64_t value = 0;
    if (!has(sizeof(T))) return 0;
    for (size_t i = 0; i < sizeof(T); i++) value |= static_cast<uint64_t>(bytes_[at_ + i]) << (8 * i);
    at_ += sizeof(T);
    return static_cast<T>(value);
  }
  template <size_t N>
  std::array<uint8_t, N> raw() {
    std::array<uint8_t, N> value{};
    if (!has(N)) return value;
    std::memcpy(value.data(), bytes_.data() + at_, N);
    at_ += N;
    return value;
  }
  std::string text() {
    const size_t length = number<uint8_t>();
    if (!has(length)) return {};
    std::string value(reinterpret_cast<const char*>(bytes_.data()) + at_, length);
    at_ += length;
    return value;
  }
  // A count that must not exceed `most`: what follows may be allocated by it.
  size_t count(size_t most) {
    const size_t value = number<uint8_t>();
    if (value <= most) return bad_ ? 0 : value;
    bad_ = true;
    return 0;
  }
  void fail() { bad_ = true; }
  bool bad() const { return bad_; }
  // True when all was read and nothing was wrong: trailing bytes are an error too.
  bool complete() const { return !bad_ && at_ == bytes_.size(); }

 private:
  bool has(size_t n) {
    if (bad_ || bytes_.size() - at_ < n) bad_ = true;
    return !bad_;
  }
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool bad_ = false;
};

}  // namespace polyrail::net
