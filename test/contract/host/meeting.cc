// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/meeting.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace polyrail::contract {

Meeting::Owner Meeting::arrange(int ranks, std::chrono::milliseconds patience) {
  void* memory = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  return Owner(new (memory) Meeting(ranks, patience));
}

void Meeting::Unmap::operator()(Meeting* meeting) const {
  meeting->~Meeting();
  munmap(meeting, sizeof(Meeting));
}

void Meeting::publish(int link, const void* handle) {
  std::memcpy(slots_[link].handle, handle, nccl::kNetHandleBytes);
  slots_[link].published.store(true, std::memory_order_release);
}

bool Meeting::fetch(int link, void* handle) const {
  if (!slots_[link].published.load(std::memory_order_acquire)) return false;
  std::memcpy(handle, slots_[link].handle, nccl::kNetHandleBytes);
  return true;
}

bool Meeting::waitForAll() {
  const int mine = arrivals_++;
  moved();
  const int wanted = (mine / ranks_ + 1) * ranks_;
  while (arrivals_ < wanted) {
    if (over()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return !givenUp_;
}

int64_t Meeting::now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

bool Meeting::over() const { return givenUp_ || now() - lastMove_ > patience_; }

}  // namespace polyrail::contract
