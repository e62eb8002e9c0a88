// SPDX-License-Identifier: Apache-2.0
#include "net/path/control_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace polyrail::net {

ControlMemory::~ControlMemory() {
  if (data_) munmap(data_, size_);
}

Status ControlMemory::allocate(size_t bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t size = (bytes + page - 1) / page * page;
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return Status::error("no memory for " + std::to_string(size) +
                         " bytes of control rings: " + std::strerror(errno));
  data_ = data;
  size_ = size;
  return {};
}

ControlRegion& ControlRegion::operator=(ControlRegion&& other) noexcept {
  reset();
  verbs_ = std::exchange(other.verbs_, nullptr);
  mr_ = std::exchange(other.mr_, nullptr);
  return *this;
}

Status ControlRegion::registerWith(const Verbs& verbs, ibv_pd* pd, const ControlMemory& memory,
                                   const std::string& rail) {
  ibv_mr* mr = verbs.regMr(pd, memory.data(), memory.size(),
                           IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
  if (!mr)
    return Status::error(rail + ": cannot register " + std::to_string(memory.size()) +
                         " bytes: " + std::strerror(errno) + "; raise the locked-memory limit (ulimit -l)");
  reset();
  verbs_ = &verbs;
  mr_ = mr;
  return {};
}

void ControlRegion::reset() {
  if (mr_) verbs_->deregMr(mr_);
  mr_ = nullptr;
}

}  // namespace polyrail::net
