// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/nccl.h"

#include <dlfcn.h>

#include <cstdio>

namespace polyrail::vgpu {

namespace {

template <typename F>
bool find(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

bool Nccl::open(Nccl* out, std::string* why) {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = dlerror();
    return false;
  }
  const bool all =
      find(library, "ncclGetVersion", &out->getVersion) && find(library, "ncclGetUniqueId", &out->getUniqueId) &&
      find(library, "ncclCommInitRank", &out->commInitRank) && find(library, "ncclCommDestroy", &out->commDestroy) &&
      find(library, "ncclCommAbort", &out->commAbort) && find(library, "ncclCommSplit", &out->commSplit) &&
      find(library, "ncclCommGetAsyncError", &out->commGetAsyncError) &&
      find(library, "ncclGetErrorString", &out->getErrorString) &&
      find(library, "ncclGetLastError", &out->getLastError) && find(library, "ncclGroupStart", &out->groupStart) &&
      find(library, "ncclGroupEnd", &out->groupEnd) && find(library, "ncclMemAlloc", &out->memAlloc) &&
      find(library, "ncclMemFree", &out->memFree) && find(library, "ncclCommRegister", &out->commRegister) &&
      find(library, "ncclCommDeregister", &out->commDeregister) && find(library, "ncclAllReduce", &out->allReduce) &&
      find(library, "ncclBroadcast", &out->broadcast) && find(library, "ncclReduce", &out->reduce) &&
      find(library, "ncclAllGather", &out->allGather) && find(library, "ncclReduceScatter", &out->reduceScatter) &&
      find(library, "ncclSend", &out->send) && find(library, "ncclRecv", &out->recv);
  if (!all) *why = "libnccl.so.2 lacks a function of NCCL 2.22";
  return all;
}

bool succeeded(const Nccl& nccl, Comm comm, int rank, int error, const char* what) {
  if (error == kNcclSuccess) return true;
  const char* more = nccl.getLastError(comm);
  fprintf(stderr, "vgpu: Test NCCL failure %s rank %d '%s / %s'\n", what, rank, nccl.getErrorString(error), more);
  return false;
}

}  // namespace polyrail::vgpu
