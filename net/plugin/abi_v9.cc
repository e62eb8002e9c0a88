// SPDX-License-Identifier: Apache-2.0
// Net ABI v9, NCCL 2.24 and 2.25. Sizes of any length, and NCCL asks for fusion.
#include "net/plugin/calls.h"
#include "net/plugin/properties.h"

namespace polyrail::net {
namespace {

nccl::Result init(nccl::LogFunction log) noexcept { return openShared(Node::Fusion::kByNccl, log, nullptr); }

nccl::Result listen(int device, void* handle, void** listenComm) noexcept {
  return listenOn(shared(Node::Fusion::kByNccl), device, handle, listenComm);
}

nccl::Result connect(int device, void* handle, void** sendComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectTo(shared(Node::Fusion::kByNccl), device, handle, nccl::kNetUndefined, sendComm);
}

nccl::Result accept(void* listenComm, void** recvComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return acceptFrom(listenComm, recvComm);
}

nccl::Result regMr(void* comm, void* data, size_t size, int type, void** mhandle) noexcept {
  return registerMemory(comm, data, size, type, 0, -1, mhandle);
}

nccl::Result regMrDmaBuf(void* comm, void* data, size_t size, int type, uint64_t offset, int fd,
                         void** mhandle) noexcept {
  return registerMemory(comm, data, size, type, offset, fd, mhandle);
}

nccl::Result isend(void* comm, void* data, size_t size, int tag, void* mhandle, void** request) noexcept {
  return send(comm, data, size, tag, mhandle, nullptr, request);
}

nccl::Result irecv(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                   void** request) noexcept {
  return receive(comm, n, data, sizes, tags, mhandles, nullptr, request);
}

nccl::Result makeVDevice(int* device, nccl::NetVDevicePropsV9* props) noexcept {
  return fuseDevices(device, props->devs, props->ndevs, nccl::kNetMaxDevsPerNicV11);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::NetV9 ncclNetPlugin_v9 = {kNetName,
                                                                                init,
                                                                                countDevices<Node::Fusion::kByNccl>,
                                                                                getProperties<nccl::NetPropertiesV9>,
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
                                                                                nullptr,
                                                                                makeVDevice};

}  // namespace polyrail::net
