// SPDX-License-Identifier: Apache-2.0
// Net ABI v7, NCCL 2.19. It added the device-side handles, which stay null here.
#include "net/plugin/calls.h"
#include "net/plugin/properties.h"

namespace polyrail::net {
namespace {

nccl::Result init(nccl::LogFunction log) noexcept { return openShared(Node::Fusion::kByUs, log, nullptr); }

nccl::Result listen(int device, void* handle, void** listenComm) noexcept {
  return listenOn(shared(Node::Fusion::kByUs), device, handle, listenComm);
}

nccl::Result connect(int device, void* handle, void** sendComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectTo(shared(Node::Fusion::kByUs), device, handle, nccl::kNetUndefined, sendComm);
}

nccl::Result accept(void* listenComm, void** recvComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return acceptFrom(listenComm, recvComm);
}

nccl::Result regMr(void* comm, void* data, int size, int type, void** mhandle) noexcept {
  if (size < 0) return nccl::Result::kInvalidUsage;
  return registerMemory(comm, data, static_cast<size_t>(size), type, 0, -1, mhandle);
}

nccl::Result regMrDmaBuf(void* comm, void* data, size_t size, int type, uint64_t offset, int fd,
                         void** mhandle) noexcept {
  return registerMemory(comm, data, size, type, offset, fd, mhandle);
}

nccl::Result isend(void* comm, void* data, int size, int tag, void* mhandle, void** request) noexcept {
  if (size < 0) return nccl::Result::kInvalidUsage;
  return send(comm, data, static_cast<size_t>(size), tag, mhandle, nullptr, request);
}

nccl::Result irecv(void* comm, int n, void** data, int* sizes, int* tags, void** mhandles, void** request) noexcept {
  return receive(comm, n, data, wide(n, sizes).data(), tags, mhandles, nullptr, request);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::NetV7 ncclNetPlugin_v7 = {kNetName,
                                                                                init,
                                                                                countDevices<Node::Fusion::kByUs>,
                                                                                getProperties<nccl::NetPropertiesV7>,
                                                                                listen,
                                                                                connect,
                                                                                accept,
                                                                                regMr,
                                                                                regMrDmaBuf,
                                                                                deregisterMemory,
                                                                                isend,
                                                                                irecv,
                                                                                flush,
                                                                                testRequest,
                                                                                closeEnd,
                                                                                closeEnd,
                                                                                closeListener,
                                                                                nullptr,
                                                                                nullptr};

}  // namespace polyrail::net
