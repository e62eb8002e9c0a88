// SPDX-License-Identifier: Apache-2.0
// A rank's send and receive buffers: device memory, pinned host memory, or memory from ncclMemAlloc; registered with
// NCCL if asked. Owned by the rank, freed before its communicator.
#pragma once

#include "test/vgpu/driver/options.h"

namespace polyrail::vgpu {

class Buffers {
 public:
  Buffers(const Options& options, const Nccl& nccl, Comm comm, size_t bytes);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  bool good() const { return areas_[0].memory && areas_[1].memory; }
  char* send() const { return static_cast<char*>(areas_[0].memory); }
  char* receive() const { return static_cast<char*>(areas_[1].memory); }

 private:
  struct Area {
    void* memory = nullptr;
    void* handle = nullptr;
  };
  const Options& options_;
  const Nccl& nccl_;
  Comm comm_;
  Area areas_[2];
};

}  // namespace polyrail::vgpu
