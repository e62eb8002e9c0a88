// SPDX-License-Identifier: Apache-2.0
// A net plugin that is polyrail's (VGPU_PLUGIN: its path) but for one message: VGPU_MUTATION=flip turns one bit of
// it, drop leaves 4 KiB of it as they were, swap exchanges two pieces of 4 KiB. A suite that does not fail on it does
// not look. The mutated message is the third of 16 KiB or more that a process receives. NCCL's threads call; one
// lock.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "common/nccl/net_abi.h"

using namespace polyrail::nccl;

namespace {

constexpr int kPiece = 4096, kLeast = 4 * kPiece, kWhich = 3;

struct Received {
  char* data = nullptr;
  std::vector<char> before;  // what lay in the middle piece
};

struct State {
  std::mutex mutex;
  std::map<void*, Received> pending;
  int seen = 0;
  NetTest test = nullptr;
};

State& state() {
  static State* const one = new State;
  return *one;
}

void mutate(const Received& received, int size) {
  const char* how = getenv("VGPU_MUTATION");
  char* middle = received.data + size / 2 / kPiece * kPiece;
  if (!how) return;
  fprintf(stderr, "mutant: %s in a message of %d bytes\n", how, size);
  if (strcmp(how, "flip") == 0) *middle ^= 1;
  if (strcmp(how, "drop") == 0) std::copy(received.before.begin(), received.before.end(), middle);
  if (strcmp(how, "swap") == 0) std::swap_ranges(middle - kPiece, middle, middle);
}

Result test(void* request, int* done, int* sizes) {
  const Result result = state().test(request, done, sizes);
  if (result != Result::kSuccess || !*done) return result;
  const std::lock_guard lock(state().mutex);
  const auto found = state().pending.find(request);
  if (found == state().pending.end()) return result;
  if (sizes && sizes[0] >= kLeast && ++state().seen == kWhich) mutate(found->second, sizes[0]);
  state().pending.erase(found);
  return result;
}

// Only receives of one message are followed; grouped ones pass.
void note(int n, void* data, size_t capacity, void* request) {
  if (!request || n != 1 || capacity < kLeast) return;
  Received received{static_cast<char*>(data), {}};
  const char* middle = received.data + capacity / 2 / kPiece * kPiece;
  received.before.assign(middle, middle + kPiece);
  const std::lock_guard lock(state().mutex);
  state().pending[request] = std::move(received);
}

NetIrecvV6 irecv8 = nullptr;
NetIrecvV10 irecv11 = nullptr;

Result receive8(void* comm, int n, void** data, int* sizes, int* tags, void** handles, void** request) {
  const Result result = irecv8(comm, n, data, sizes, tags, handles, request);
  note(n, data[0], static_cast<size_t>(sizes[0]), *request);
  return result;
}

Result receive11(void* comm, int n, void** data, size_t* sizes, int* tags, void** handles, void** phandles,
                 void** request) {
  const Result result = irecv11(comm, n, data, sizes, tags, handles, phandles, request);
  note(n, data[0], sizes[0], *request);
  return result;
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
  ncclNetPlugin_v8 = *static_cast<NetV8*>(dlsym(plugin, "ncclNetPlugin_v8"));
  ncclNetPlugin_v11 = *static_cast<NetV11*>(dlsym(plugin, "ncclNetPlugin_v11"));
  state().test = ncclNetPlugin_v11.test;
  irecv8 = ncclNetPlugin_v8.irecv;
  irecv11 = ncclNetPlugin_v11.irecv;
  ncclNetPlugin_v8.irecv = receive8;
  ncclNetPlugin_v11.irecv = receive11;
  ncclNetPlugin_v8.test = ncclNetPlugin_v11.test = test;
}
}  // namespace
