// SPDX-License-Identifier: Apache-2.0
// A net plugin that is polyrail's (VGPU_PLUGIN: its path) but for what mutation.h says, and that tells at the end
// what NCCL asked of it: "mutant: 3 flushes, receives of 1: 20, of 8: 4". A suite that does not fail on a mutation
// does not look.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "common/nccl/net_abi.h"
#include "test/vgpu/mutant/mutation.h"

using namespace polyrail::nccl;
using namespace polyrail::vgpu;

namespace {

constexpr size_t kMostReceives = 8;  // of a group: the maxRecvs of polyrail's properties

NetV8 real8;
NetV11 real11;
std::atomic<int> flushes;
std::array<std::atomic<int>, kMostReceives + 1> receives;  // by the size of their group

void count(int n, void* data, size_t capacity, void* request) {
  if (!request) return;
  receives[std::min(static_cast<size_t>(n), kMostReceives)]++;
  if (n == 1) begun(request, data, capacity);
}

Result receive8(void* comm, int n, void** data, int* sizes, int* tags, void** handles, void** request) {
  const Result result = real8.irecv(comm, n, data, sizes, tags, handles, request);
  count(n, data[0], static_cast<size_t>(sizes[0]), *request);
  return result;
}

Result receive11(void* comm, int n, void** data, size_t* sizes, int* tags, void** handles, void** phandles,
                 void** request) {
  const Result result = real11.irecv(comm, n, data, sizes, tags, handles, phandles, request);
  count(n, data[0], sizes[0], *request);
  return result;
}

Result test(void* request, int* done, int* sizes) {
  const Result result = real11.test(request, done, sizes);
  if (result == Result::kSuccess && *done && sizes) arrived(request, sizes[0]);
  return result;
}

Result flush(void* comm, int n, void** data, int* sizes, void** handles, void** request) {
  const Result result = real11.iflush(comm, n, data, sizes, handles, request);
  if (*request) flushes++;
  return result;
}

Result listen8(int device, void* handle, void** comm) {
  const Result result = real8.listen(device, handle, comm);
  if (result == Result::kSuccess) listening(handle);
  return result;
}

Result listen11(void* context, int device, void* handle, void** comm) {
  const Result result = real11.listen(context, device, handle, comm);
  if (result == Result::kSuccess) listening(handle);
  return result;
}

template <typename Table>
void interpose(Table* table) {
  table->test = test;
  table->iflush = flush;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) NetV8 ncclNetPlugin_v8;
__attribute__((visibility("default"))) NetV11 ncclNetPlugin_v11;
}

namespace {

__attribute__((constructor)) void load() {
  const char* path = getenv("VGPU_PLUGIN");
  void* plugin = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!plugin) {
    fprintf(stderr, "mutant: VGPU_PLUGIN: %s\n", path ? dlerror() : "not set");
    return;
  }
  ncclNetPlugin_v8 = real8 = *static_cast<NetV8*>(dlsym(plugin, "ncclNetPlugin_v8"));
  ncclNetPlugin_v11 = real11 = *static_cast<NetV11*>(dlsym(plugin, "ncclNetPlugin_v11"));
  interpose(&ncclNetPlugin_v8);
  interpose(&ncclNetPlugin_v11);
  ncclNetPlugin_v8.irecv = receive8;
  ncclNetPlugin_v11.irecv = receive11;
  ncclNetPlugin_v8.listen = listen8;
  ncclNetPlugin_v11.listen = listen11;
}

__attribute__((destructor)) void tell() {
  fprintf(stderr, "mutant: %d flushes, receives", flushes.load());
  for (size_t n = 1; n <= kMostReceives; n++)
    if (receives[n] > 0) fprintf(stderr, " of %zu: %d", n, receives[n].load());
  fprintf(stderr, "\n");
}

}  // namespace
