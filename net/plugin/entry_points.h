// SPDX-License-Identifier: Apache-2.0
// NCCL's signatures, each translated once: a function is named after its member of the table and the first ABI
// version that declares it so (as common/nccl/net_functions.h does). An adapter picks the ones of its version. For
// threads and results see calls.h.
#pragma once

#include <iterator>

#include "net/plugin/calls.h"
#include "net/plugin/properties.h"

namespace polyrail::net {

// Before v11 there is one context for each way of fusion; v6 to v8 leave the fusion to us.
template <Node::Fusion fusion>
nccl::Result initV6(nccl::LogFunction log) noexcept {
  return openShared(fusion, log, nullptr);
}
inline nccl::Result initV10(nccl::LogFunction log, nccl::ProfilerCallback profile) noexcept {
  return openShared(Node::Fusion::kByNccl, log, profile);
}
inline nccl::Result initV11(void** context, uint64_t /*commId*/, nccl::NetCommConfig* config, nccl::LogFunction log,
                            nccl::ProfilerCallback profile) noexcept {
  return openContext(context, log, profile, config ? config->trafficClass : nccl::kNetUndefined);
}

template <Node::Fusion fusion>
nccl::Result listenV6(int device, void* handle, void** listenComm) noexcept {
  return listenOn(shared(fusion), device, handle, listenComm);
}
inline nccl::Result listenV11(void* context, int device, void* handle, void** listenComm) noexcept {
  return listenOn(static_cast<Context*>(context), device, handle, listenComm);
}

// Nothing of ours runs on the device, so its handle is null.
template <Node::Fusion fusion>
nccl::Result connectV6(int device, void* handle, void** sendComm) noexcept {
  return connectTo(shared(fusion), device, handle, nccl::kNetUndefined, sendComm);
}
template <Node::Fusion fusion>
nccl::Result connectV7(int device, void* handle, void** sendComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectV6<fusion>(device, handle, sendComm);
}
inline nccl::Result connectV10(int device, nccl::NetCommConfig* config, void* handle, void** sendComm,
                               nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  const int trafficClass = config ? config->trafficClass : nccl::kNetUndefined;
  return connectTo(shared(Node::Fusion::kByNccl), device, handle, trafficClass, sendComm);
}
inline nccl::Result connectV11(void* context, int device, void* handle, void** sendComm,
                               nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return connectTo(static_cast<Context*>(context), device, handle, nccl::kNetUndefined, sendComm);
}
inline nccl::Result acceptV7(void* listenComm, void** recvComm, nccl::NetDeviceHandle** onDevice) noexcept {
  if (onDevice) *onDevice = nullptr;
  return acceptFrom(listenComm, recvComm);
}

inline nccl::Result regMrV8(void* comm, void* data, size_t size, int type, void** mhandle) noexcept {
  return registerMemory(comm, data, size, type, 0, -1, mhandle);
}
inline nccl::Result regMrV6(void* comm, void* data, int size, int type, void** mhandle) noexcept {
  return size < 0 ? nccl::Result::kInvalidUsage : regMrV8(comm, data, static_cast<size_t>(size), type, mhandle);
}

inline nccl::Result isendV9(void* comm, void* data, size_t size, int tag, void* mhandle, void** request) noexcept {
  return send(comm, data, size, tag, mhandle, nullptr, request);
}
inline nccl::Result isendV6(void* comm, void* data, int size, int tag, void* mhandle, void** request) noexcept {
  return size < 0 ? nccl::Result::kInvalidUsage
                  : isendV9(comm, data, static_cast<size_t>(size), tag, mhandle, request);
}

inline nccl::Result irecvV9(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                            void** request) noexcept {
  return receive(comm, n, data, sizes, tags, mhandles, nullptr, request);
}
inline nccl::Result irecvV6(void* comm, int n, void** data, int* sizes, int* tags, void** mhandles,
                            void** request) noexcept {
  return irecvV9(comm, n, data, wide(n, sizes).data(), tags, mhandles, request);
}
inline nccl::Result irecvV10(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                             void** parents, void** request) noexcept {
  return receive(comm, n, data, sizes, tags, mhandles, parents, request);
}

inline nccl::Result setNetAttrV11(void* context, nccl::NetAttr* attributes) noexcept {
  return noteHints(static_cast<Context*>(context), attributes);
}

template <typename VDeviceProps>
nccl::Result makeVDevice(int* device, VDeviceProps* props) noexcept {
  return fuseDevices(device, props->devs, props->ndevs, static_cast<int>(std::size(props->devs)));
}

}  // namespace polyrail::net
