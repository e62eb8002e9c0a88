// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/slots.h"

#include <sys/mman.h>

#include <cstdlib>

#include "test/contract/host/payload.h"

namespace polyrail::contract {

Slots::Slots(const NetCalls& calls, void* comm, size_t capacity) : calls_(calls), comm_(comm), capacity_(capacity) {
  void* memory = mmap(nullptr, total(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  memory_ = static_cast<char*>(memory);
  data_ = memory_ + kGuard;
  poison(memory_, total());
  registered_ = calls_.regMr(comm_, data_, kSteps * capacity_, nccl::kPtrHost, &mhandle_) == nccl::Result::kSuccess;
}

Slots::~Slots() { munmap(memory_, total()); }

bool Slots::guardsIntact() const {
  return firstTouchedByte(memory_, kGuard) == kGuard &&
         firstTouchedByte(data_ + kSteps * capacity_, kGuard) == kGuard;
}

bool Slots::deregister() {
  if (!registered_) return true;
  registered_ = false;
  return calls_.deregMr(comm_, mhandle_) == nccl::Result::kSuccess;
}

}  // namespace polyrail::contract
