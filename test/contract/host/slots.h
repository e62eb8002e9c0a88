// SPDX-License-Identifier: Apache-2.0
// The buffers of one sub: kSteps slots of one capacity in one registered piece of memory. One thread at a time.
#pragma once

#include "test/contract/host/memory.h"
#include "test/contract/host/traffic_plan.h"

namespace polyrail::contract {

class Slots {
 public:
  Slots(const NetCalls& calls, void* comm, const LinkPlan& plan)
      : memory(calls, comm, plan.place, kSteps * plan.capacity), capacity_(plan.capacity) {}

  void* at(size_t step) const { return memory.data() + (step % kSteps) * capacity_; }

  Memory memory;

 private:
  size_t capacity_;
};

}  // namespace polyrail::contract
