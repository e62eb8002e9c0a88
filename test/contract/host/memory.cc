// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "test/contract/host/payload.h"

namespace polyrail::contract {

Memory::Memory(const NetCalls& calls, void* comm, Place place, size_t size)
    : calls_(calls), comm_(comm), size_(size) {
  map();
  poison(memory_, total());
  registered_ = enroll(place) == nccl::Result::kSuccess;
  ::close(std::exchange(fd_, -1));
}

Memory::~Memory() { munmap(memory_, total()); }

// The guards are private memory around a shared mapping of the descriptor.
void Memory::map() {
  fd_ = memfd_create("net-lint", MFD_CLOEXEC);
  const size_t shared = total() - 2 * kGuard;
  void* whole = mmap(nullptr, total(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(shared)) != 0 || whole == MAP_FAILED) abort();
  memory_ = static_cast<char*>(whole);
  data_ = memory_ + kGuard;
  if (mmap(data_, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0) == MAP_FAILED) abort();
}

nccl::Result Memory::enroll(Place place) {
  const int type = place == Place::kHost ? nccl::kPtrHost : nccl::kPtrCuda;
  if (place == Place::kGpuDmaBuf) return calls_.regMrDmaBuf(comm_, data_, size_, type, 0, fd_, &mhandle_);
  return calls_.regMr(comm_, data_, size_, type, &mhandle_);
}

bool Memory::guardsIntact() const {
  const size_t behind = total() - kGuard - size_;
  return firstTouchedByte(memory_, kGuard) == kGuard && firstTouchedByte(data_ + size_, behind) == behind;
}

bool Memory::deregister() {
  if (!registered_) return true;
  registered_ = false;
  return calls_.deregMr(comm_, mhandle_) == nccl::Result::kSuccess;
}

}  // namespace polyrail::contract
