// SPDX-License-Identifier: Apache-2.0
// NCCL's device structs as the interpreter sees them: thin views over the memory that NCCL filled, read through a
// Layout. They own nothing. A view may be used by one thread; what it points at is shared with NCCL's proxies.
#pragma once

#include <atomic>
#include <cstring>

#include "test/vgpu/kernel/layout.h"

namespace polyrail::vgpu {

template <typename T>
T load(const char* base, unsigned at) {
  T value;
  memcpy(&value, base + at, sizeof value);
  return value;
}

// Bit fields never cross a 64-bit word.
inline uint64_t loadBits(const char* base, Bits bits) {
  if (bits.at == kAbsent) return 0;
  const auto word = load<uint64_t>(base, bits.at / 64 * 8);
  return word >> bits.at % 64 & ((uint64_t{1} << bits.width) - 1);
}

// One direction of a connection to a peer. Counters are shared with the peer or with NCCL's proxy thread.
class Connection {
 public:
  Connection(const Layout& layout, char* base) : at_(&layout.connection), base_(base) {}

  char* buffer(int protocol) const { return load<char*>(base_, at_->buffers + 8 * static_cast<unsigned>(protocol)); }
  int stepSize() const { return load<int>(base_, at_->stepSize); }
  int flags() const { return load<int>(base_, at_->flags); }
  uint64_t step() const { return load<uint64_t>(base_, at_->step); }
  void keepStep(uint64_t step) { memcpy(base_ + at_->step, &step, sizeof step); }

  uint64_t tail() const { return counter(at_->tail)->load(std::memory_order_acquire); }
  uint64_t head() const { return counter(at_->head)->load(std::memory_order_acquire); }
  void postTail(uint64_t step) { counter(at_->tail)->store(step, std::memory_order_release); }
  void postHead(uint64_t step) { counter(at_->head)->store(step, std::memory_order_release); }

  // The queue to the proxy, 24 bytes a slot: mode, offset, size. Only connections that a proxy serves have one.
  bool hasFifo() const { return load<char*>(base_, at_->fifo) != nullptr; }
  bool fifoGivesOffset(uint64_t step) const {
    return hasFifo() && load<int>(slot(step), 0) == 1;
  }  // NCCL_MODE_OFFSET
  int fifoOffset(uint64_t step) const { return load<int>(slot(step), 4); }
  void setFifoSize(uint64_t step, int64_t size) { fifoSize(step)->store(size, std::memory_order_release); }
  int64_t getFifoSize(uint64_t step) const { return fifoSize(step)->load(std::memory_order_acquire); }

 private:
  static constexpr unsigned kSlotBytes = 24;  // ncclConnFifo
  std::atomic<uint64_t>* counter(unsigned at) const { return load<std::atomic<uint64_t>*>(base_, at); }
  char* slot(uint64_t step) const { return load<char*>(base_, at_->fifo) + step % 8 * kSlotBytes; }
  std::atomic<int64_t>* fifoSize(uint64_t step) const {
    return reinterpret_cast<std::atomic<int64_t>*>(slot(step) + 8);
  }

  const ConnectionLayout* at_;
  char* base_;
};

// ncclDevComm and one of its channels.
class ChannelView {
 public:
  ChannelView(const Layout& all, char* comm, int channel)
      : layout(all),
        id(channel),
        comm_(comm),
        channel_(comm + all.comm.stride + static_cast<size_t>(channel) * all.channel.size) {}

  int rank() const { return load<int>(comm_, layout.comm.rank); }
  int ranks() const { return load<int>(comm_, layout.comm.ranks); }
  int bufferSize(int protocol) const {
    return load<int>(comm_, layout.comm.bufferSizes + 4 * static_cast<unsigned>(protocol));
  }
  int p2pChunkSize() const { return load<int>(comm_, layout.comm.p2pChunkSize); }
  bool aborted() const { return *load<volatile uint32_t*>(comm_, layout.comm.abortFlag) != 0; }
  // 2.22 and 2.23 wait for the kernel to say how far it has read the work queue.
  void postWorkConsumed(uint32_t consumed) const {
    if (layout.comm.workConsumed == kAbsent) return;
    load<volatile uint32_t*>(comm_, layout.comm.workConsumed)[id] = consumed;
  }

  int ringPrevious() const { return load<int>(channel_, layout.channel.ringPrevious); }
  int ringNext() const { return load<int>(channel_, layout.channel.ringNext); }
  int ringIndex() const { return load<int>(channel_, layout.channel.ringIndex); }
  // The rank that is `distance` behind this one in the ring.
  int ringRank(int distance) const { return load<const int*>(channel_, layout.channel.ringRanks)[distance]; }
  int treeUp() const { return load<int>(channel_, layout.channel.treeUp); }
  int treeDown(int child) const {
    return load<int>(channel_, layout.channel.treeDown + 4 * static_cast<unsigned>(child));
  }

  Connection sender(int peer, int index) const { return {layout, connections(peer) + index * size()}; }
  Connection receiver(int peer, int index) const { return {layout, connections(peer) + (2 + index) * size()}; }

  const Layout& layout;
  const int id;

 private:
  int size() const { return layout.connection.size; }
  char* connections(int peer) const { return load<char**>(channel_, layout.channel.peers)[peer]; }

  char* comm_;
  char* channel_;
};

}  // namespace polyrail::vgpu
