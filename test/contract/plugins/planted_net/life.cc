// SPDX-License-Identifier: Apache-2.0
// Defects of the life cycle: what stays behind, and what goes too early.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

#include "test/contract/plugins/planted_net/defects.h"

namespace planted {
namespace {

void leakedFile(NetV12& table) {
  table.closeSend = [](void*) { return Result::kSuccess; };
}

void leakedMemory(NetV12& table) {
  table.closeRecv = [](void* comm) {
    static std::vector<void*>* const lost = new std::vector<void*>;
    lost->push_back(malloc(4096));
    return reference::closeRecv(comm);
  };
}

void* sleepForEver(void*) {
  for (;;) pause();
}

void threadLeft(NetV12& table) {
  table.init = [](void** context, uint64_t id, NetCommConfig* config, LogFunction log, ProfilerCallback profile) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, sleepForEver, nullptr) == 0) pthread_detach(thread);
    return reference::initV11(context, id, config, log, profile);
  };
}

void staysMapped(NetV12& table) {
  table.init = [](void** context, uint64_t id, NetCommConfig* config, LogFunction log, ProfilerCallback profile) {
    Dl_info self = {};
    if (dladdr(reinterpret_cast<void*>(sleepForEver), &self) != 0) dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE);
    return reference::initV11(context, id, config, log, profile);
  };
}

// The first communicator to go takes what the others need.
void finalizeAll(NetV12& table) {
  static bool gone;
  table.finalize = [](void* context) { return gone = true, reference::finalize(context); };
  table.listen = [](void* context, int device, void* handle, void** comm) {
    return gone ? Result::kInternalError : reference::listenV11(context, device, handle, comm);
  };
}

// The first NCCL's logger for ever.
void oldLogger(NetV12& table) {
  static LogFunction logger;
  table.init = [](void** context, uint64_t id, NetCommConfig* config, LogFunction log, ProfilerCallback profile) {
    if (logger == nullptr) logger = log;
    return reference::initV11(context, id, config, log, profile);
  };
  table.closeSend = [](void* comm) {
    logger(LogLevel::kInfo, 0, __FILE__, __LINE__, "closing %p", comm);
    return reference::closeSend(comm);
  };
}

constexpr Defect kDefects[] = {
    {"leaked-file", leakedFile},   {"leaked-memory", leakedMemory}, {"thread-left", threadLeft},
    {"stays-mapped", staysMapped}, {"finalize-all", finalizeAll},   {"old-logger", oldLogger},
};

}  // namespace

std::span<const Defect> lifeDefects() { return kDefects; }

}  // namespace planted
