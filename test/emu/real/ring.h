// SPDX-License-Identifier: Apache-2.0
// A one-way queue of records between two processes, in memory they share: one writes, one reads, neither waits for
// the other. The writer's and the reader's counters only grow; they are on cache lines of their own. Whoever maps it
// unmaps it. One thread at a time on each side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace polyrail::emu {

class Ring {
 public:
  static constexpr size_t kBytes = 2 << 20;       // of records; a power of two
  static constexpr size_t kLargest = kBytes / 4;  // a record

  // Maps a descriptor of size() bytes that starts zeroed; null when that fails.
  static Ring* map(int fd);
  static void unmap(Ring* ring);
  static size_t size() { return sizeof(Ring); }

  // Room for a record of `length` bytes, to be filled before commit(); null while there is none.
  uint8_t* reserve(size_t length);
  void commit();
  // The oldest record, or an empty span. Valid until release().
  std::span<const uint8_t> front();
  void release();
  // Asked without any lock.
  bool empty() const { return tail_.load(std::memory_order_relaxed) == head_.load(std::memory_order_acquire); }

  // The reader is about to sleep and wants to be woken; it must look at empty() once more after saying so.
  void sleep(bool on) { sleeping_.exchange(on); }
  // By the writer after commit(): whether the reader has to be woken. True once for each sleep. Both exchange the
  // flag, so that whoever comes second has seen what the first did before: the record, or the wish to be woken.
  bool takeSleeper() { return sleeping_.exchange(false); }

 private:
  Ring() = default;
  uint8_t* at(uint64_t position) { return data_ + position % kBytes; }

  alignas(64) std::atomic<uint64_t> head_;  // written up to
  uint64_t pending_;                        // the writer's: head_ after commit()
  alignas(64) std::atomic<uint64_t> tail_;  // read up to
  uint64_t next_;                           // the reader's: tail_ after release()
  alignas(64) std::atomic<bool> sleeping_;
  alignas(64) uint8_t data_[kBytes];
};

}  // namespace polyrail::emu
