// SPDX-License-Identifier: Apache-2.0
// Memory for tests with a known pattern on both sides: a write that strays past either end is seen by intact().
// Plain object; not thread-safe.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

namespace polyrail::emu {

class GuardedBuffer {
 public:
  static constexpr size_t kGuard = 4096;
  explicit GuardedBuffer(size_t size)
      : size_(size), whole_(static_cast<uint8_t*>(std::aligned_alloc(kGuard, bytes()))) {
    if (!whole_) throw std::bad_alloc();
    for (size_t i = 0; i < bytes(); i++) whole_[i] = pattern(i);
    for (size_t i = 0; i < size_; i++) data()[i] = 0;
  }
  ~GuardedBuffer() { std::free(whole_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  uint8_t* data() { return whole_ + kGuard; }
  size_t size() const { return size_; }
  // Whether no byte outside [data, data + size) was written.
  bool intact() const {
    for (size_t i = 0; i < bytes(); i++)
      if ((i < kGuard || i >= kGuard + size_) && whole_[i] != pattern(i)) return false;
    return true;
  }

 private:
  static uint8_t pattern(size_t i) { return static_cast<uint8_t>(0xa5 ^ (i * 7)); }
  size_t bytes() const { return kGuard + (size_ + kGuard - 1) / kGuard * kGuard + kGuard; }
  size_t size_;
  uint8_t* whole_;
};

}  // namespace polyrail::emu
