// SPDX-License-Identifier: Apache-2.0
// Device memory in host memory. Every allocation is an anonymous file of its own, mapped shared: another process maps
// the same file (IPC handles, shareable handles), and its descriptor stands for a DMA-BUF. Host pointers and device
// pointers are the same. Every thread may call.
#pragma once

#include <memory>
#include <optional>

#include "test/vgpu/cuda/api.h"

namespace polyrail::vgpu {

// The file behind an allocation; closed with the last reference. Owned by mappings and, while the driver's callers
// hold handles, by itself.
struct Backing {
  int fd = -1;
  size_t size = 0;
  int device = 0;
  bool host = false;  // memory of the host that was allocated through the driver
  int handles = 0;
  std::shared_ptr<Backing> self;
  ~Backing();
};

// A handle is the object's address; how many of them there are is counted, as NCCL counts on it.
Backing* holdBacking(const std::shared_ptr<Backing>& backing);
void dropBacking(Backing* backing);

// A range of addresses that the runtime knows.
struct Region {
  uintptr_t base = 0;
  size_t size = 0;
  MemoryType type = kUnregistered;
  int device = 0;
  std::shared_ptr<Backing> backing;  // null for registered and pinned host memory
  bool mapped = false;               // by cuMemMap: the address range has an owner of its own
};

std::shared_ptr<Backing> makeBacking(size_t size, int device);
// Maps the whole file; null when the kernel refuses.
void* mapBacking(const std::shared_ptr<Backing>& backing);

void* allocateDevice(size_t size, int device);
void* allocatePinned(size_t size);
// False when `pointer` is not the start of an allocation. Memory goes back to the kernel at once.
bool release(void* pointer);

std::optional<Region> findRegion(const void* pointer);
void addRegion(const Region& region);
bool removeRegion(const void* base);

// Bytes of device memory and number of regions at hand: what a test of leaks compares.
size_t liveRegions();
size_t liveBytes();

}  // namespace polyrail::vgpu
