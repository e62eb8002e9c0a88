// SPDX-License-Identifier: Apache-2.0
// The cables of a bond below a rail, for NICs that let a queue pair be placed on one: else the bond's hash decides,
// and two queue pairs may share a cable while another is idle. Owned by the opened NIC; borrowed by its comms. Any
// thread.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstdint>

namespace polyrail::net {

class Slaves {
 public:
  // How many queue pairs have taken their turn; so many more now do. What a comm takes at once is spread evenly.
  uint32_t takeTurns(uint32_t count) { return turn_.fetch_add(count, std::memory_order_relaxed); }
  // The last errno of placing one, once; 0: all went well.
  int takeError() { return error_.exchange(0, std::memory_order_relaxed); }
  void failed(int error) { error_.store(error, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> turn_{0};
  std::atomic<int> error_{0};
};

// How a rail's queue pairs are placed; `count` below 2: they are not.
struct Placement {
  uint8_t count = 0;                                  // cables
  int (*place)(ibv_qp* qp, uint8_t cable) = nullptr;  // from 1; 0 or an errno. The queue pair is in RTS
  Slaves* slaves = nullptr;
};

}  // namespace polyrail::net
