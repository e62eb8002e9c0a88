// SPDX-License-Identifier: Apache-2.0
// GPU memory by the driver alone: libcuda.so.1 is opened when it is wanted, so that the command runs where there is
// none. Every call blocks until the GPU has done it. One GPU, one owner, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/status.h"

namespace polyrail::cli {

struct CudaCalls;

class Cuda {
 public:
  // The error says what is missing: the driver's library, the GPU.
  static Result<std::shared_ptr<Cuda>> open(int gpu);
  ~Cuda();
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;

  // Bytes, rounded up so that a DMA-BUF can cover them.
  Result<uint64_t> allocate(size_t size);
  void release(uint64_t address);
  Status toGpu(uint64_t to, const void* from, size_t size);
  Status fromGpu(void* to, uint64_t from, size_t size);
  // A descriptor of the memory that allocate() gave, the caller's to close; an error where the driver has none to
  // give.
  Result<int> dmaBuf(uint64_t address, size_t size);

 private:
  explicit Cuda(std::unique_ptr<CudaCalls> calls);
  Status start(int gpu);
  Status checked(const char* call, int result) const;
  std::unique_ptr<CudaCalls> calls_;
  int device_ = 0;
  bool retained_ = false;
};

}  // namespace polyrail::cli
