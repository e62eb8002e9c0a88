// SPDX-License-Identifier: Apache-2.0
// init and finalize: who holds the library, and which context a call without one means.
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "common/plugin/ready_to_throw.h"
#include "net/plugin/calls.h"
#include "net/plugin/context.h"
#include "net/plugin/guarded.h"
#include "net/plugin/loggers.h"

namespace polyrail::net {
namespace {

// Constant-initialised and without destructors, as in library.cc.
constinit Mutex gMutex;
constinit Context* gShared[2] = {nullptr, nullptr};  // by Node::Fusion
constinit Context* gOwn = nullptr;                   // those with a finalize, the latest first, by Context::older
constinit pid_t gProcess = 0;                        // who made them

Log logBy(nccl::LogFunction logger) { return Log(logger, "NET/polyrail", nccl::kLogInit | nccl::kLogNet); }

// `own`: the communicator's logger, where only it uses the context.
Result<Context*> make(Node::Fusion fusion, nccl::LogFunction own, nccl::ProfilerCallback profile) {
  gProcess = getpid();
  Result<Library*> library = Library::acquire(logBy(relayLog));
  if (library.ok()) return new Context(*library.value(), fusion, logBy(own ? own : relayLog), own, profile);
  logBy(relayLog).warn("%s; this job does not use polyrail's network", library.message().c_str());
  return library.status();
}

void end(Context* context) {
  for (Context** at = &gOwn; *at; at = &(*at)->older)
    if (*at == context) {
      *at = context->older;
      break;
    }
  const nccl::LogFunction logger = context->logger();
  delete context;
  Library::release();
  dropLogger(logger);
}

// Any context of that way of fusion: they share one list of devices. REQUIRES: gMutex.
Context* anyOf(Node::Fusion fusion) {
  if (fusion == Node::Fusion::kByNccl && gOwn) return gOwn;
  return gShared[static_cast<size_t>(fusion)];
}

// NCCL up to 2.27 never calls finalize. At exit its threads may still be inside of us, so what is in use stays.
// A forked child, whose lock may be held by a thread that it does not have, has nothing to end.
[[gnu::destructor]] void endShared() {
  if (gProcess != getpid()) return;
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
    addLogger(log);
    Result<Context*> made = make(Node::Fusion::kByNccl, log, profile);
    if (!made.ok()) {
      dropLogger(log);
      return nccl::Result::kSystemError;
    }
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
    addLogger(log);
    if (!shared) {
      Result<Context*> made = make(fusion, nullptr, profile);
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
