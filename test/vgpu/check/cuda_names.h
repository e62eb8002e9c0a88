// SPDX-License-Identifier: Apache-2.0
// What NCCL's device.h and collectives.h name of CUDA's headers, so that their structs can be laid out without CUDA.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#define __host__
#define __device__
#define __global__
#define __forceinline__ inline

struct int4 {
  int x, y, z, w;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) ulong2 {
  unsigned long x, y;
};
using cudaStream_t = struct CUstream_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaError_t = int;

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block };
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
template <typename T, thread_scope S = thread_scope_system>
struct atomic_ref : std::atomic_ref<T> {
  using std::atomic_ref<T>::atomic_ref;
};
}  // namespace cuda
