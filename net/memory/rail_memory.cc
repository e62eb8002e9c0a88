// SPDX-License-Identifier: Apache-2.0
#include "net/memory/rail_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace polyrail::net {

RegistrationWays registrationWays(const Port& port, const Mlx5& mlx5) {
  return {port.relaxedOrdering, port.gpuDirect.dmaBuf, port.gpuDirect.peermem,
          port.dataDirect ? mlx5.regDmabufMr : nullptr};
}

Result<std::unique_ptr<RailMemory>> RailMemory::create(std::span<const MemoryRail> rails, const MemoryRange& range) {
  if (rails.empty() || rails.size() > kMaxRails) return Status::error("memory is registered on 1 to 8 rails");
  std::unique_ptr<RailMemory> made(new RailMemory);
  MemoryRange ours = range;
  if (range.dmaBuf >= 0) {
    made->dmaBuf_ = ::fcntl(range.dmaBuf, F_DUPFD_CLOEXEC, 3);
    if (made->dmaBuf_ < 0)
      return Status::error(std::string("the dma-buf's descriptor cannot be kept: ") + std::strerror(errno) +
                           "; raise ulimit -n");
    ours.dmaBuf = made->dmaBuf_;
  }
  made->keys_.address = range.address;
  made->keys_.length = range.bytes;
  made->keys_.device = range.type == MemoryType::kDevice;
  made->keys_.rails = 0;
  for (size_t i = 0; i < rails.size(); i++)
    if (Status bad = made->acquire(i, rails[i], ours); !bad.ok()) return bad;
  return made;
}

Status RailMemory::acquire(size_t index, const MemoryRail& rail, const MemoryRange& range) {
  Result<const Registration*> got = rail.device->memory().acquire(range, rail.ways);
  if (!got.ok()) return got.status();
  parts_[index] = {rail.device, got.value()};
  keys_.lkey[index] = got.value()->mr->lkey;
  keys_.rkey[index] = got.value()->mr->rkey;
  keys_.rails = static_cast<uint16_t>(keys_.rails | 1u << index);
  return {};
}

Status RailMemory::release() {
  Status first;
  for (Part& part : parts_) {
    if (!part.registration) continue;
    Status released = part.device->memory().release(part.registration);
    if (first.ok()) first = std::move(released);
    part = {};
  }
  keys_.rails = 0;
  if (dmaBuf_ >= 0) ::close(dmaBuf_);
  dmaBuf_ = -1;
  return first;
}

}  // namespace polyrail::net
