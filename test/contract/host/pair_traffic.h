// SPDX-License-Identifier: Apache-2.0
// Messages over a connection to oneself, both ends moved by one thread, as NCCL's bootstrap moves them when it runs
// over the net plugin: null profiler handles, null sizes for test (src/bootstrap.cc netSendRecv, 2.30.7). Faults go
// to the pair's. One thread.
#pragma once

#include <chrono>

#include "test/contract/host/memory.h"
#include "test/contract/host/net_pair.h"

namespace polyrail::contract {

class PairTraffic {
 public:
  // `capacity`: of every receive, and the most that can be sent.
  PairTraffic(NetPair& pair, Place place, size_t capacity);

  // One message there; false when a fault was found.
  bool exchange(size_t size, int tag, std::chrono::milliseconds patience);

  // In pieces. What they return is the plugin's; *request null: not now.
  nccl::Result send(size_t size, int tag, void** request);
  nccl::Result receive(size_t capacity, int tag, void** request);
  bool good() const { return from_.registered() && to_.registered(); }
  Memory& from() { return from_; }
  Memory& to() { return to_; }
  void deregister();

 private:
  bool turn(size_t size, int tag);
  bool test(void*& request, bool& done, const char* which);
  NetPair& pair_;
  Memory from_, to_;
  void* sending_ = nullptr;
  void* receiving_ = nullptr;
  bool sent_ = false, received_ = false;
  uint64_t messages_ = 0;
};

}  // namespace polyrail::contract
