// SPDX-License-Identifier: Apache-2.0
// The few types and numbers of CUDA's public API that the virtual runtime speaks (CUDA 12 and 13; facts of
// cuda_runtime_api.h and cuda.h, no CUDA header is used). Handles are pointers to our own objects. Plain values, any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#define VGPU_API extern "C" __attribute__((visibility("default")))

namespace polyrail::vgpu {

class Stream;
class Event;
struct Graph;
struct Kernel;

// cudaError_t and CUresult agree on all of these.
enum Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDevice = 101,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kNotSupported = 801,
  kCaptureInvalidated = 901,
  kUnknown = 999,
};

// cudaMemoryType
enum MemoryType : int { kUnregistered = 0, kHost = 1, kDevice = 2 };

// The leading 24 bytes of cudaPointerAttributes; CUDA 13 appends reserved words.
struct PointerAttributes {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

// 64 bytes that NCCL sends to another process: cudaIpcMemHandle_t.
struct IpcHandle {
  int32_t pid;
  int32_t fd;
  uint64_t size;
  uint64_t offset;
  char rest[40];
};
static_assert(sizeof(IpcHandle) == 64);

// CUlaunchConfig, CUlaunchAttribute (each attribute 72 bytes: an id, padding, a 64-byte value).
struct LaunchAttribute {
  int id;
  int pad;
  union {
    char bytes[64];
    struct {
      Event* event;
      int flags;
    } launchCompletion;
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedMemory;
  Stream* stream;
  LaunchAttribute* attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

// dim3 as runtime functions pass it.
struct Dim3 {
  unsigned x, y, z;
};

// CUmemAllocationProp: type, handle types, location{type, id}, then what is not looked at.
struct AllocationProperties {
  int type;
  int handleTypes;
  int locationType;
  int locationId;
};

using HostFunction = void (*)(void*);

}  // namespace polyrail::vgpu
