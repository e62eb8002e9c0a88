// SPDX-License-Identifier: Apache-2.0
// Copies and fills. A small copy from pageable memory is staged at the call, as CUDA's is: NCCL frees such sources
// early.
#include <cstring>
#include <memory>
#include <vector>

#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/memory.h"
#include "test/vgpu/cuda/stream.h"

using namespace polyrail::vgpu;

namespace {

constexpr size_t kStagedBytes = 64 << 10;

Task copyTask(void* to, const void* from, size_t size) {
  if (size <= kStagedBytes && !findRegion(from)) {
    auto staged =
        std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + size);
    return [to, staged] { memcpy(to, staged->data(), staged->size()); };
  }
  return [to, from, size] { memmove(to, from, size); };
}

// The synchronous forms run on the null stream and wait for it.
int waitForNullStream() {
  Stream& stream = streamOf(nullptr);
  stream.wait(stream.lastTicket());
  return kSuccess;
}

}  // namespace

VGPU_API int cudaMemcpyAsync(void* to, const void* from, size_t size, int, Stream* stream) {
  if (size == 0) return kSuccess;
  push(streamOf(stream), copyTask(to, from, size));
  return kSuccess;
}

VGPU_API int cudaMemcpy(void* to, const void* from, size_t size, int kind) {
  cudaMemcpyAsync(to, from, size, kind, nullptr);
  return waitForNullStream();
}

VGPU_API int cudaMemsetAsync(void* to, int value, size_t size, Stream* stream) {
  push(streamOf(stream), [=] { memset(to, value, size); });
  return kSuccess;
}

VGPU_API int cudaMemset(void* to, int value, size_t size) {
  cudaMemsetAsync(to, value, size, nullptr);
  return waitForNullStream();
}
