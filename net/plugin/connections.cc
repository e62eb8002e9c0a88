// SPDX-License-Identifier: Apache-2.0
// listen, connect, accept, close, and registration.
#include "net/plugin/calls.h"
#include "net/plugin/guarded.h"
#include "net/plugin/listener.h"
#include "net/plugin/outcome.h"

namespace polyrail::net {

nccl::Result listenOn(Context* context, int device, void* handle, void** listenComm) noexcept {
  return guarded([&] {
    *listenComm = nullptr;
    if (!context) return nccl::Result::kInternalError;
    Result<std::unique_ptr<Listener>> listener = Listener::create(*context, device, handle);
    if (!listener.ok()) return said(context->log(), {Outcome::kSystemError, listener.message()});
    *listenComm = std::move(listener).value().release();
    return nccl::Result::kSuccess;
  });
}

nccl::Result connectTo(Context* context, int device, void* handle, int trafficClass, void** sendComm) noexcept {
  return guarded([&] {
    *sendComm = nullptr;
    if (!context) return nccl::Result::kInternalError;
    std::unique_ptr<CommEnd> end;
    const Verdict verdict = context->connect(device, handle, trafficClass, &end);
    *sendComm = end.release();
    return said(context->log(), verdict);
  });
}

nccl::Result acceptFrom(void* listenComm, void** recvComm) noexcept {
  return guarded([&] {
    *recvComm = nullptr;
    Listener& listener = *static_cast<Listener*>(listenComm);
    std::unique_ptr<CommEnd> end;
    const Verdict verdict = listener.accept(&end);
    *recvComm = end.release();
    return said(listener.log(), verdict);
  });
}

nccl::Result closeEnd(void* comm) noexcept {
  delete static_cast<CommEnd*>(comm);
  return nccl::Result::kSuccess;
}

nccl::Result closeListener(void* listenComm) noexcept {
  delete static_cast<Listener*>(listenComm);
  return nccl::Result::kSuccess;
}

nccl::Result registerMemory(void* comm, void* data, size_t size, int type, uint64_t offset, int dmaBuf,
                            void** mhandle) noexcept {
  return guarded([&] {
    *mhandle = nullptr;
    CommEnd& end = *static_cast<CommEnd*>(comm);
    MemoryRange range;
    range.address = reinterpret_cast<uintptr_t>(data);
    range.bytes = size;
    range.type = type == nccl::kPtrHost ? MemoryType::kHost : MemoryType::kDevice;
    range.dmaBuf = dmaBuf;
    range.offset = offset;
    Result<std::unique_ptr<RailMemory>> memory = end.registerMemory(range);
    if (!memory.ok()) return said(end.log(), {Outcome::kSystemError, memory.message()});
    *mhandle = std::move(memory).value().release();
    return nccl::Result::kSuccess;
  });
}

nccl::Result deregisterMemory(void* comm, void* mhandle) noexcept {
  return guarded([&] {
    const std::unique_ptr<RailMemory> memory(static_cast<RailMemory*>(mhandle));
    if (!memory) return nccl::Result::kSuccess;
    static_cast<CommEnd*>(comm)->withdraw(memory->keys());
    const Status released = memory->release();
    return released.ok() ? nccl::Result::kSuccess
                         : said(static_cast<CommEnd*>(comm)->log(), {Outcome::kSystemError, released.message()});
  });
}

}  // namespace polyrail::net
