// SPDX-License-Identifier: Apache-2.0
// Defects of registered memory and of its flush.
#include <sys/stat.h>

#include <algorithm>
#include <mutex>

#include "test/contract/plugins/planted_net/defects.h"

namespace planted {
namespace {

std::mutex mutex;
std::vector<const reference::Mr*> gpu, dead, known;
struct Descriptor {
  const void* mhandle;
  int fd;
  ino_t file;
};
std::vector<Descriptor> descriptors;

// The file behind a descriptor; 0 when it is closed.
ino_t fileOf(int fd) {
  struct stat state = {};
  return fstat(fd, &state) == 0 ? state.st_ino : 0;
}

bool has(const std::vector<const reference::Mr*>& some, const void* mhandle) {
  std::lock_guard lock(mutex);
  return std::find(some.begin(), some.end(), mhandle) != some.end();
}

void note(std::vector<const reference::Mr*>& some, void* mhandle) {
  std::lock_guard lock(mutex);
  some.push_back(static_cast<reference::Mr*>(mhandle));
}

// Data reaches GPU memory some time after its flush was called done.
void flushNothing(NetV12& table) {
  struct Late {
    char* to;
    std::vector<char> data;
    int wait;
  };
  static std::vector<Late> late;
  table.regMr = [](void* comm, void* data, size_t size, int type, void** mhandle) {
    const Result result = reference::regMrV8(comm, data, size, type, mhandle);
    if (type == kPtrCuda) note(gpu, *mhandle);
    return result;
  };
  hooks.posting = [](Transfer& t, int*) {
    if (!has(gpu, t.mhandles[0])) return;
    for (const size_t size : t.sizes) t.bounce.emplace_back(size);
    for (auto& buffer : t.bounce) t.bounceMrs.push_back({buffer.data(), buffer.size()});
  };
  hooks.received = [](Transfer& t, int* sizes) {
    for (auto& one : late)
      if (--one.wait == 0) std::copy(one.data.begin(), one.data.end(), one.to);
    std::erase_if(late, [](const Late& one) { return one.wait == 0; });
    for (size_t i = 0; i < t.bounce.size(); i++)
      late.push_back({t.data[i], {t.bounce[i].begin(), t.bounce[i].begin() + sizes[i]}, 2});
    return true;
  };
}

void flushZero(NetV12& table) {
  table.iflush = [](void*, int n, void**, int* sizes, void**, void** request) {
    *request = nullptr;
    return std::find(sizes, sizes + n, 0) == sizes + n ? Result::kSuccess : Result::kInternalError;
  };
}

// The descriptor is used when the data moves; NCCL has closed it by then.
void dmaBufDescriptor(NetV12& table) {
  table.regMrDmaBuf = [](void* comm, void* data, size_t size, int type, uint64_t offset, int fd, void** mhandle) {
    const Result result = reference::regMrDmaBuf(comm, data, size, type, offset, fd, mhandle);
    std::lock_guard lock(mutex);
    descriptors.push_back({*mhandle, fd, fileOf(fd)});
    return result;
  };
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    std::lock_guard lock(mutex);
    for (const Descriptor& one : descriptors)
      if (one.mhandle == mhandle && fileOf(one.fd) != one.file) return Result::kSystemError;
    return isend(comm, data, size, tag, mhandle, phandle, request);
  };
}

// A cache of registrations that does not count: the first deregMr takes all of the range.
void uncountedCache(NetV12& table) {
  table.regMr = [](void* comm, void* data, size_t size, int type, void** mhandle) {
    const Result result = reference::regMrV8(comm, data, size, type, mhandle);
    note(known, *mhandle);
    return result;
  };
  table.deregMr = [](void* comm, void* mhandle) {
    const auto* mr = static_cast<const reference::Mr*>(mhandle);
    std::lock_guard lock(mutex);
    for (const reference::Mr* twin : known)
      if (twin != mr && twin->data == mr->data) dead.push_back(twin);
    std::erase(known, mr);
    return reference::deregMr(comm, mhandle);
  };
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    return has(dead, mhandle) ? Result::kInvalidArgument : isend(comm, data, size, tag, mhandle, phandle, request);
  };
}

// Room for more than the host gave.
void oversize(NetV12&) {
  hooks.posting = [](Transfer& t, int*) {
    for (size_t i = 0; i < t.sizes.size(); i++) {
      const auto* mr = static_cast<const reference::Mr*>(t.mhandles[i]);
      t.sizes[i] = mr->size - static_cast<size_t>(t.data[i] - mr->data);
    }
  };
}

constexpr Defect kDefects[] = {
    {"flush-nothing", flushNothing},     {"flush-zero", flushZero}, {"dma-buf-descriptor", dmaBufDescriptor},
    {"uncounted-cache", uncountedCache}, {"oversize", oversize},
};

}  // namespace

std::span<const Defect> memoryDefects() { return kDefects; }

}  // namespace planted
