// SPDX-License-Identifier: Apache-2.0
// Net ABI v10, NCCL 2.26 and 2.27. It added the profiler and a traffic class for each communicator.
#include "net/plugin/calls.h"
#include "net/plugin/properties.h"

namespace polyrail::net {
namespace {

nccl::Result init(nccl::LogFunction log, nccl::ProfilerCallback profile) noexcept {
  return openShared(Node::Fusion::kByNccl, log, profile);
}

nccl::Result listen(int device, void* handle, void** listenComm) noexcept {
  return listenOn(shared(Node::Fusion::kByNccl), device, handle, listenComm);
}

nccl::Result connect(int device, nccl::NetCommConfig* config, void* handle, void** sendComm,
                     nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectTo(shared(Node::Fusion::kByNccl), device, handle, config ? config->trafficClass : nccl::kNetUndefined,
                   sendComm);
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

nccl::Result makeVDevice(int* device, nccl::NetVDevicePropsV10* props) noexcept {
  return fuseDevices(device, props->devs, props->ndevs, nccl::kNetMaxDevsPerNicV11);
}

}  // namespace

extern "C"
    [[gnu::visibility("default")]] const nccl::NetV10 ncclNetPlugin_v10 = {kNetName,
                                                                           init,
                                                                           countDevices<Node::Fusion::kByNccl>,
                                                                           getProperties<nccl::NetPropertiesV10>,
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
