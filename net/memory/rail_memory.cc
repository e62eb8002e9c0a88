// SPDX-License-Identifier: Apache-2.0
#include "net/memory/rail_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "net/memory/comm_memory.h"

namespace polyrail::net {

RegistrationWays registrationWays(const Port& port, const Mlx5& mlx5) {
  return {port.relaxedOrdering, port.gpuDirect.dmaBuf, port.gpuDirect.peermem,
          port.dataDirect ? mlx5.regDmabufMr : nullptr};
}

Result<std::unique_ptr<RailMemory>> RailMemory::create(std::span<const MemoryRail> rails, const MemoryRange& range) {
  if (rails.empty() || rails.size() > kMaxRails) return Status::error("memory is registered on 1 to 8 rails");
  std::unique_ptr<RailMemory> made(new RailMemory);
  made->range_ = range;
  if (range.dmaBuf >= 0) {
    made->range_.dmaBuf = ::fcntl(range.dmaBuf, F_DUPFD_CLOEXEC, 3);
    if (made->range_.dmaBuf < 0)
      return Status::error(std::string("the dma-buf's descriptor cannot be kept: ") + std::strerror(errno) +
                           "; raise ulimit -n");
  }
  made->keys_.address = range.address;
  made->keys_.length = range.bytes;
  made->keys_.device = range.type == MemoryType::kDevice;
  made->keys_.rails = 0;
  for (size_t i = 0; i < rails.size(); i++) {
    if (Status bad = made->acquire(i, rails[i]); !bad.ok()) return bad;
    made->show(i);
  }
  return made;
}

Status RailMemory::acquire(size_t index, const MemoryRail& rail) {
  Result<const Registration*> got = rail.device->memory().acquire(range_, rail.ways);
  if (!got.ok()) return got.status();
  parts_[index] = {rail.device, got.value()};
  return {};
}

void RailMemory::show(size_t index) {
  keys_.lkey[index] = parts_[index].registration->mr->lkey;
  keys_.rkey[index] = parts_[index].registration->mr->rkey;
  keys_.rails = static_cast<uint16_t>(keys_.rails | 1u << index);
}

Status RailMemory::release(size_t index) {
  Part& part = parts_[index];
  if (!part.registration) return {};
  Status released = part.device->memory().release(part.registration);
  part = {};
  return released;
}

Status RailMemory::release() {
  if (group_) group_->remove(*this);
  group_.reset();
  Status first;
  for (size_t i = 0; i < parts_.size(); i++) {
    Status released = release(i);
    if (first.ok()) first = std::move(released);
  }
  keys_.rails = 0;
  if (range_.dmaBuf >= 0) ::close(range_.dmaBuf);
  range_.dmaBuf = -1;
  return first;
}

}  // namespace polyrail::net
