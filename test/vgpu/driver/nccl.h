// SPDX-License-Identifier: Apache-2.0
// NCCL's public functions as the driver uses them (nccl.h; numbers and signatures have not changed from 2.22
// to 2.30), found with dlopen, so that one driver runs on any NCCL. Immutable after open(); any thread.
#pragma once

#include <cstddef>
#include <string>

namespace polyrail::vgpu {

struct UniqueId {
  char bytes[128];
};
using Comm = struct CommOpaque*;
using CudaStream = void*;

enum NcclResult : int { kNcclSuccess = 0, kNcclInProgress = 7 };
enum NcclOp : int { kNcclSum, kNcclProd, kNcclMax, kNcclMin, kNcclAvg };

struct Nccl {
  // Opens libnccl.so.2 as the loader finds it, or says why not.
  static bool open(Nccl* out, std::string* why);

  int (*getVersion)(int*);
  int (*getUniqueId)(UniqueId*);
  int (*commInitRank)(Comm*, int, UniqueId, int);
  int (*commDestroy)(Comm);
  int (*commAbort)(Comm);
  int (*commSplit)(Comm, int, int, Comm*, void*);
  int (*commGetAsyncError)(Comm, int*);
  const char* (*getErrorString)(int);
  const char* (*getLastError)(Comm);
  int (*groupStart)();
  int (*groupEnd)();
  int (*memAlloc)(void**, size_t);
  int (*memFree)(void*);
  int (*commRegister)(Comm, void*, size_t, void**);
  int (*commDeregister)(Comm, void*);
  int (*allReduce)(const void*, void*, size_t, int, int, Comm, CudaStream);
  int (*broadcast)(const void*, void*, size_t, int, int, Comm, CudaStream);
  int (*reduce)(const void*, void*, size_t, int, int, int, Comm, CudaStream);
  int (*allGather)(const void*, void*, size_t, int, Comm, CudaStream);
  int (*reduceScatter)(const void*, void*, size_t, int, int, Comm, CudaStream);
  int (*send)(const void*, size_t, int, int, Comm, CudaStream);
  int (*recv)(void*, size_t, int, int, Comm, CudaStream);
};

// Whether `error` is none; otherwise it is said on stderr in nccl-tests' words.
bool succeeded(const Nccl& nccl, Comm comm, int rank, int error, const char* what);

}  // namespace polyrail::vgpu
