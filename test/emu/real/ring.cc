// SPDX-License-Identifier: Apache-2.0
#include "test/emu/real/ring.h"

#include <sys/mman.h>

#include <cstring>

namespace polyrail::emu {
namespace {

constexpr size_t kHead = 8;               // a record's length, before it
constexpr uint64_t kSkip = ~uint64_t{0};  // instead of a length: go on at the start of the ring

size_t padded(size_t length) { return kHead + (length + 7) / 8 * 8; }

}  // namespace

Ring* Ring::map(int fd) {
  void* memory = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Ring*>(memory);
}

void Ring::unmap(Ring* ring) { munmap(ring, size()); }

uint8_t* Ring::reserve(size_t length) {
  const size_t need = padded(length);
  uint64_t head = head_.load(std::memory_order_relaxed);
  const uint64_t tail = tail_.load(std::memory_order_acquire);  // what was read may be overwritten
  const size_t toEnd = kBytes - head % kBytes;
  const size_t skip = toEnd < need ? toEnd : 0;
  if (head + skip + need - tail > kBytes) return nullptr;
  if (skip > 0) std::memcpy(at(head), &kSkip, sizeof kSkip);
  head += skip;
  const uint64_t size = length;
  std::memcpy(at(head), &size, sizeof size);
  pending_ = head + need;
  return at(head) + kHead;
}

void Ring::commit() { head_.store(pending_, std::memory_order_release); }

std::span<const uint8_t> Ring::front() {
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return {};
  uint64_t size;
  std::memcpy(&size, at(tail), sizeof size);
  if (size == kSkip) {
    tail += kBytes - tail % kBytes;
    std::memcpy(&size, at(tail), sizeof size);
  }
  if (size > kLargest) return {};  // no writer of ours: nothing after it can be trusted
  next_ = tail + padded(size);
  return {at(tail) + kHead, size};
}

void Ring::release() { tail_.store(next_, std::memory_order_release); }

}  // namespace polyrail::emu
