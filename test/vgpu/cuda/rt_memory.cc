// SPDX-License-Identifier: Apache-2.0
// The runtime's memory: allocation, attributes, IPC handles, pools.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "test/vgpu/cuda/device.h"
#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/memory.h"
#include "test/vgpu/cuda/stream.h"

using namespace polyrail::vgpu;

VGPU_API int cudaMalloc(void** out, size_t size) {
  *out = size ? allocateDevice(size, currentDevice()) : nullptr;
  return done(!size || *out ? kSuccess : kOutOfMemory);
}

// As CUDA's: what the device still does with its memory comes first.
VGPU_API int cudaFree(void* pointer) {
  if (!pointer) return kSuccess;
  synchronizeDevice(currentDevice());
  return done(release(pointer) ? kSuccess : kInvalidValue);
}

VGPU_API int cudaHostAlloc(void** out, size_t size, unsigned) {
  *out = allocatePinned(size);
  return done(*out ? kSuccess : kOutOfMemory);
}

VGPU_API int cudaMallocHost(void** out, size_t size) { return cudaHostAlloc(out, size, 0); }
VGPU_API int cudaFreeHost(void* pointer) { return done(!pointer || release(pointer) ? kSuccess : kInvalidValue); }

VGPU_API int cudaHostRegister(void* pointer, size_t size, unsigned) {
  addRegion({reinterpret_cast<uintptr_t>(pointer), size, kHost, 0, nullptr, true});
  return kSuccess;
}

VGPU_API int cudaHostUnregister(void* pointer) { return done(removeRegion(pointer) ? kSuccess : kInvalidValue); }

VGPU_API int cudaHostGetDevicePointer(void** out, void* host, unsigned) {
  *out = host;
  return kSuccess;
}

VGPU_API int cudaPointerGetAttributes(PointerAttributes* out, const void* pointer) {
  void* address = const_cast<void*>(pointer);
  const auto region = findRegion(pointer);
  if (!region) {
    *out = {kUnregistered, -2, nullptr, address};
  } else {
    *out = {region->type, region->device, address, region->type == kHost ? address : nullptr};
  }
  return kSuccess;
}

VGPU_API int cudaIpcGetMemHandle(IpcHandle* out, void* pointer) {
  const auto region = findRegion(pointer);
  if (!region || !region->backing) return done(kInvalidValue);
  *out = {getpid(), region->backing->fd, region->size, 0, {}};
  return kSuccess;
}

// The other process keeps its descriptor open while its allocation lives, and is of the same user.
VGPU_API int cudaIpcOpenMemHandle(void** out, IpcHandle handle, unsigned) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.pid, handle.fd);
  auto backing = std::make_shared<Backing>();
  backing->fd = open(path, O_RDWR | O_CLOEXEC);
  backing->size = handle.size;
  backing->device = currentDevice();
  *out = backing->fd < 0 ? nullptr : mapBacking(backing);
  return done(*out ? kSuccess : kInvalidValue);
}

VGPU_API int cudaIpcCloseMemHandle(void* pointer) { return done(release(pointer) ? kSuccess : kInvalidValue); }

// Pools are only asked for by NCCL's captured graphs: an allocation from one is an ordinary one.
VGPU_API int cudaMemPoolCreate(void** pool, const void*) {
  *pool = new char;
  return kSuccess;
}

VGPU_API int cudaMemPoolDestroy(void* pool) {
  delete static_cast<char*>(pool);
  return kSuccess;
}

VGPU_API int cudaMemPoolSetAttribute(void*, int, void*) { return kSuccess; }

VGPU_API int cudaMallocFromPoolAsync(void** out, size_t size, void*, Stream*) { return cudaMalloc(out, size); }

VGPU_API int cudaFreeAsync(void* pointer, Stream* stream) {
  push(streamOf(stream), [pointer] { release(pointer); });
  return kSuccess;
}
