// SPDX-License-Identifier: Apache-2.0
// Net ABI v11, NCCL 2.28 and 2.29. It added contexts, finalize and hints.
#include "net/plugin/calls.h"
#include "net/plugin/properties.h"

namespace polyrail::net {
namespace {

nccl::Result init(void** context, uint64_t /*commId*/, nccl::NetCommConfig* config, nccl::LogFunction log,
                  nccl::ProfilerCallback profile) noexcept {
  return openContext(context, log, profile, config ? config->trafficClass : nccl::kNetUndefined);
}

nccl::Result listen(void* context, int device, void* handle, void** listenComm) noexcept {
  return listenOn(static_cast<Context*>(context), device, handle, listenComm);
}

nccl::Result connect(void* context, int device, void* handle, void** sendComm,
                     nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectTo(static_cast<Context*>(context), device, handle, nccl::kNetUndefined, sendComm);
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

nccl::Result isend(void* comm, void* data, size_t size, int tag, void* mhandle, void* parent,
                   void** request) noexcept {
  return send(comm, data, size, tag, mhandle, parent, request);
}

nccl::Result irecv(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** parents,
                   void** request) noexcept {
  return receive(comm, n, data, sizes, tags, mhandles, parents, request);
}

nccl::Result makeVDevice(int* device, nccl::NetVDevicePropsV11* props) noexcept {
  return fuseDevices(device, props->devs, props->ndevs, nccl::kNetMaxDevsPerNicV11);
}

}  // namespace

extern "C"
    [[gnu::visibility("default")]] const nccl::NetV11 ncclNetPlugin_v11 = {kNetName,
                                                                           init,
                                                                           countDevices<Node::Fusion::kByNccl>,
                                                                           getProperties<nccl::NetPropertiesV11>,
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
                                                                           makeVDevice,
                                                                           closeContext,
                                                                           nullptr};

}  // namespace polyrail::net
