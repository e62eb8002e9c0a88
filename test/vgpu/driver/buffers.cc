// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/buffers.h"

#include <cstring>

#include "test/vgpu/driver/cuda.h"

namespace polyrail::vgpu {

Buffers::Buffers(const Options& options, const Nccl& nccl, Comm comm, size_t bytes)
    : options_(options), nccl_(nccl), comm_(comm) {
  for (Area& area : areas_) {
    const size_t size = bytes + 4096;
    if (options.memory == "host") {
      cudaMallocHost(&area.memory, size);
    } else if (options.memory == "nccl") {
      nccl.memAlloc(&area.memory, size);
    } else {
      cudaMalloc(&area.memory, size);
    }
    if (area.memory && options.registered) nccl.commRegister(comm, area.memory, size, &area.handle);
  }
}

Buffers::~Buffers() {
  for (Area& area : areas_) {
    if (area.handle) nccl_.commDeregister(comm_, area.handle);
    if (options_.memory == "host") {
      cudaFreeHost(area.memory);
    } else if (options_.memory == "nccl") {
      nccl_.memFree(area.memory);
    } else {
      cudaFree(area.memory);
    }
  }
}

}  // namespace polyrail::vgpu
