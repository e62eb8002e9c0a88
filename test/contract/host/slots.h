// SPDX-License-Identifier: Apache-2.0
// The buffers of one sub: kSteps slots of one capacity in one registered piece of memory with guards before and
// behind. One thread at a time.
#pragma once

#include <cstddef>

#include "test/contract/host/net_calls.h"
#include "test/contract/host/traffic_plan.h"

namespace polyrail::contract {

class Slots {
 public:
  // Registers with regMr; a failure shows as !registered().
  Slots(const NetCalls& calls, void* comm, size_t capacity);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  bool registered() const { return registered_; }
  void* mhandle() const { return mhandle_; }
  void* at(size_t step) const { return data_ + (step % kSteps) * capacity_; }
  size_t capacity() const { return capacity_; }
  bool guardsIntact() const;
  // False when deregMr fails. To be called before the comm is closed.
  bool deregister();

 private:
  static constexpr size_t kGuard = 4096;
  size_t total() const { return 2 * kGuard + kSteps * capacity_; }
  const NetCalls& calls_;
  void* comm_;
  size_t capacity_;
  char* memory_;
  char* data_;
  void* mhandle_ = nullptr;
  bool registered_ = false;
};

}  // namespace polyrail::contract
