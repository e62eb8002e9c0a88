// SPDX-License-Identifier: Apache-2.0
// init and finalize: who holds the library, and which context a call without one means.
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "common/plugin/ready_to_throw.h"
#include "net/plugin/calls.h"
#include "net/plugin/context.h"
#include "net/plugin/guarded.h"

namespace polyrail::net {
namespace {

// Constant-initialised and without destructors, as in library.cc.
constinit Mutex gMutex;
constinit Context* gShared[2] = {nullptr, nullptr};  // by Node::Fusion
constinit Context* gOwn = nullptr;                   // those with a finalize, the latest first, by Context::older

Result<Context*> make(Node::Fusion fusion, nccl::LogFunction logger, nccl::ProfilerCallback profile) {
  const Log log(logger, "NET/polyrail", nccl::kLogInit | nccl::kLogNet);
  Result<Library*> library = Library::acquire(log);
  if (!library.ok()) {
    log.warn("%s; this job does not use polyrail's network", library.message().c_str());
    return library.status();
  }
  return new Context(*library.value(), fusion, log, profile);
}

void end(Context* context) {
  for (Context** at = &gOwn; *at; at = &(*at)->older)
    if (*at == context) {
      *at = context->older;
      break;
    }
  delete context;
  Library::release();
}

// Any context of that way of fusion: they share one list of devices. REQUIRES: gMutex.
Context* anyOf(Node::Fusion fusion) {
  if (fusion == Node::Fusion::kByNccl && gOwn) return gOwn;
  return gShared[static_cast<size_t>(fusion)];
}

// NCCL up to 2.27 never calls finalize. At exit its threads may still be inside of us, so what is in use stays.
[[gnu::destructor]] void endShared() {
  const std::lock_guard lock(gMutex);
  for (Context*& context : gShared) {
    if (!context) continue;
    if (context->library().endsAlive())
      context->library().stopControl();
    else
      end(context);
    context = nullptr;
  }
}

}  // namespace

nccl::Result openContext(void** context, nccl::LogFunction log, nccl::ProfilerCallback profile,
                         int trafficClass) noexcept {
  return guarded([&] {
    const std::lock_guard lock(gMutex);
    Result<Context*> made = make(Node::Fusion::kByNccl, log, profile);
    if (!made.ok()) return nccl::Result::kSystemError;
    made.value()->setTrafficClass(trafficClass);
    made.value()->older = gOwn;
    *context = gOwn = made.value();
    return nccl::Result::kSuccess;
  });
}

nccl::Result closeContext(void* context) noexcept {
  return guarded([&] {
    const std::lock_guard lock(gMutex);
    if (context) end(static_cast<Context*>(context));
    return nccl::Result::kSuccess;
  });
}

nccl::Result noteHints(Context* context, const nccl::NetAttr* attributes) noexcept {
  if (context && attributes) context->hints().note(*attributes);
  return nccl::Result::kSuccess;
}

nccl::Result openShared(Node::Fusion fusion, nccl::LogFunction log, nccl::ProfilerCallback profile) noexcept {
  return guarded([&] {
    const std::lock_guard lock(gMutex);
    Context*& shared = gShared[static_cast<size_t>(fusion)];
    if (!shared) {
      Result<Context*> made = make(fusion, log, profile);
      if (!made.ok()) return nccl::Result::kSystemError;
      shared = made.value();
    }
    return nccl::Result::kSuccess;
  });
}

Context* shared(Node::Fusion fusion) noexcept {
  const std::lock_guard lock(gMutex);
  return gShared[static_cast<size_t>(fusion)];
}

nccl::Result countDevices(Node::Fusion fusion, int* count) noexcept {
  const std::lock_guard lock(gMutex);
  Context* context = anyOf(fusion);
  if (!context) return nccl::Result::kInternalError;
  *count = context->node().count(context->view());
  return nccl::Result::kSuccess;
}

const NodeDevice* findDevice(Node::Fusion fusion, int device) noexcept {
  const std::lock_guard lock(gMutex);
  Context* context = anyOf(fusion);
  return context ? context->node().device(device) : nullptr;
}

size_t longestMessage(Node::Fusion fusion, const NodeDevice& device) noexcept {
  const std::lock_guard lock(gMutex);
  Context* context = anyOf(fusion);
  uint64_t longest = nccl::kNetMaxBytes;
  if (!context) return longest;
  for (const int port : device.ports) {
    const uint64_t most = context->node().ports()[static_cast<size_t>(port)].maxMessage;
    longest = std::min(longest, (most & ~(kChunkGrain - 1)) * kMaxChunks);
  }
  return longest;
}

nccl::Result fuseDevices(int* device, const int* members, int count, int most) noexcept {
  return guarded([&] {
    const std::lock_guard lock(gMutex);
    Context* context = anyOf(Node::Fusion::kByNccl);
    if (!context) return nccl::Result::kInternalError;
    const Result<int> fused =
        context->node().fuse({members, static_cast<size_t>(std::max(count, 0))}, most, &context->view());
    if (!fused.ok()) {
      context->log().info("%s", fused.message().c_str());  // NCCL asks and does without
      return nccl::Result::kInvalidUsage;
    }
    *device = fused.value();
    return nccl::Result::kSuccess;
  });
}

}  // namespace polyrail::net
