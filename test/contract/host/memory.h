// SPDX-License-Identifier: Apache-2.0
// Memory that messages live in, registered as NCCL registers it: host memory; GPU memory by regMr; GPU memory by
// regMrDmaBuf, with offset 0, the exact size, and the descriptor closed as soon as the call returns
// (src/transport/net.cc, 2.30.7). There is no GPU here: what is called GPU memory is a mapping of a memfd, which a
// software NIC can reach. Guards before and behind are poisoned. One thread at a time.
#pragma once

#include <cstddef>

#include "test/contract/host/net_calls.h"

namespace polyrail::contract {

enum class Place { kHost, kGpu, kGpuDmaBuf };

class Memory {
 public:
  // A failure of the plugin shows as !registered().
  Memory(const NetCalls& calls, void* comm, Place place, size_t size);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool registered() const { return registered_; }
  void* mhandle() const { return mhandle_; }
  char* data() const { return data_; }
  size_t size() const { return size_; }
  bool guardsIntact() const;
  // False when deregMr fails. To be called before the comm is closed.
  bool deregister();

 private:
  static constexpr size_t kGuard = 1 << 16;  // a multiple of the largest page
  size_t total() const { return 2 * kGuard + (size_ + kGuard - 1) / kGuard * kGuard; }
  void map();
  nccl::Result enroll(Place place);

  const NetCalls& calls_;
  void* comm_;
  size_t size_;
  char* memory_ = nullptr;
  char* data_ = nullptr;
  int fd_ = -1;  // of the data without its guards, until it is registered
  void* mhandle_ = nullptr;
  bool registered_ = false;
};

}  // namespace polyrail::contract
