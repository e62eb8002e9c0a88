// SPDX-License-Identifier: Apache-2.0
// Flushing arrived data into GPU memory: a READ by each NIC that has carried data, of the buffer itself, through a
// queue pair connected to itself. PCIe lets no read overtake the writes before it, so when it is done the GPU sees
// them. Part of a RecvComm; same owner and threads.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "net/data/memory_keys.h"
#include "net/data/request.h"
#include "net/path/path_set.h"

namespace polyrail::net {

class Flusher {
 public:
  void start(void* comm, size_t rails);
  // Four control verbs: the queue pair of one rail.
  Status prepare(PathSet& set, unsigned rail);
  bool prepared(unsigned rail) const { return rails_[rail].loop.queuePair() != nullptr; }

  void arrived(unsigned rail) { rails_[rail].unflushed = true; }
  // Null request: nothing to wait for. Otherwise an errno of posting, 0 when all went well.
  int flush(PathSet& set, uint64_t landing, unsigned n, void* const* data, const MemoryKeys* const* keys,
            Request** request);
  void complete(unsigned rail, unsigned request);
  bool done(const Request& request) const { return static_cast<const Flush&>(request).left == 0; }
  bool waitsFor(const Request& request, unsigned rail) const {
    return static_cast<const Flush&>(request).on[rail] > 0;
  }
  void release(Request& request) { static_cast<Flush&>(request).busy = false; }

  static constexpr uint32_t kDepth = kSlots * kGroup;  // a flush a slot, a READ a request

 private:
  struct Flush : Request {
    uint16_t left = 0;
    std::array<uint16_t, kMaxRails> on{};  // READs under way, of those that are left
    bool busy = false;
  };
  struct Rail {
    Path loop;
    bool unflushed = false;  // data came since the last READ was posted
    uint16_t underWay = 0;
  };
  Flush* take();
  int read(PathSet& set, unsigned rail, uint64_t landing, void* data, const MemoryKeys& keys, Flush& flush);

  std::vector<Rail> rails_;
  std::array<Flush, kSlots> pool_{};
  unsigned next_ = 0;
};

}  // namespace polyrail::net
