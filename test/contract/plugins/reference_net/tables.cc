// SPDX-License-Identifier: Apache-2.0
// The reference net plugin's tables, v6 to v12, and what does not depend on the version.
#include <pthread.h>
#include <unistd.h>

#include <new>

#include "common/nccl/net_abi.h"
#include "test/contract/plugins/reference_net/connect.h"

#define REFERENCE_EXPORT extern "C" __attribute__((visibility("default")))

namespace reference {
namespace {

using namespace polyrail::nccl;

constexpr int kDevices = 2;
char names[kDevices][5] = {"ref0", "ref1"};

void* sleepForEver(void*) {
  for (;;) pause();
}

Result start() {
  pthread_t thread;
  if (defect("thread-left") && pthread_create(&thread, nullptr, sleepForEver, nullptr) == 0) pthread_detach(thread);
  return Result::kSuccess;
}
Result initV6(LogFunction) { return start(); }
Result initV10(LogFunction, ProfilerCallback) { return start(); }
Result initV11(void** context, uint64_t, NetCommConfig*, LogFunction, ProfilerCallback) {
  *context = new int(0);
  return start();
}
Result finalize(void* context) {
  delete static_cast<int*>(context);
  return Result::kSuccess;
}

Result devices(int* count) {
  *count = kDevices;
  return Result::kSuccess;
}

template <typename Properties>
Result getProperties(int device, Properties* p) {
  if (device < 0 || device >= kDevices) return Result::kInvalidArgument;
  p->name = names[device], p->pciPath = nullptr, p->guid = static_cast<uint64_t>(device);
  p->ptrSupport = kPtrHost, p->speed = 10'000, p->port = 1, p->latency = 10;
  p->maxComms = 1 << 16, p->maxRecvs = kMaxRecvs;
  if constexpr (requires { p->netDeviceType; }) p->netDeviceType = NetDeviceType::kHost, p->netDeviceVersion = 0;
  if constexpr (requires { p->regIsGlobal; }) p->regIsGlobal = 0;
  if constexpr (requires { p->forceFlush; }) {
    p->forceFlush = 0;
    if (!defect("no-ndevs")) p->vProps.ndevs = 1;
    p->vProps.devs[0] = device;
    p->maxP2pBytes = p->maxCollBytes = kNetMaxBytesV8;
  }
  if constexpr (requires { p->maxMultiRequestSize; }) p->maxMultiRequestSize = 1;
  if constexpr (requires { p->railId; }) p->railId = p->planeId = kNetUndefined;
  return Result::kSuccess;
}

Result listenV6(int, void* handle, void** comm) { return listenOn(handle, reinterpret_cast<Listener**>(comm)); }
Result listenV11(void*, int device, void* handle, void** comm) { return listenV6(device, handle, comm); }
Result connectV6(int, void* handle, void** comm) { return connectOnce(handle, reinterpret_cast<SendComm**>(comm)); }
Result connectV7(int device, void* handle, void** comm, NetDeviceHandle**) { return connectV6(device, handle, comm); }
Result connectV10(int device, NetCommConfig*, void* handle, void** comm, NetDeviceHandle**) {
  return connectV6(device, handle, comm);
}
Result connectV11(void*, int device, void* handle, void** comm, NetDeviceHandle**) {
  return connectV6(device, handle, comm);
}
Result acceptV6(void* listener, void** comm) {
  return acceptOnce(static_cast<Listener*>(listener), reinterpret_cast<RecvComm**>(comm));
}
Result acceptV7(void* listener, void** comm, NetDeviceHandle**) { return acceptV6(listener, comm); }

Result regMrV8(void*, void* data, size_t size, int type, void** mhandle) {
  if (type != kPtrHost) return Result::kInvalidArgument;
  *mhandle = new Mr{static_cast<char*>(data), size};
  return Result::kSuccess;
}
Result regMrV6(void* comm, void* data, int size, int type, void** mhandle) {
  return regMrV8(comm, data, static_cast<size_t>(size), type, mhandle);
}
Result regMrDmaBuf(void*, void*, size_t, int, uint64_t, int, void**) { return Result::kInvalidUsage; }
Result deregMr(void*, void* mhandle) {
  delete static_cast<Mr*>(mhandle);
  return Result::kSuccess;
}

Result isendV9(void* comm, void* data, size_t size, int tag, void* mhandle, void** request) {
  if (!static_cast<Mr*>(mhandle)->covers(data, size)) return Result::kInvalidArgument;
  Request* made = static_cast<Request*>(*request);
  const Result result = static_cast<SendComm*>(comm)->send(static_cast<char*>(data), size, tag, &made);
  *request = made;
  return result;
}
Result isendV6(void* comm, void* data, int size, int tag, void* mhandle, void** request) {
  return isendV9(comm, data, static_cast<size_t>(size), tag, mhandle, request);
}
Result isendV10(void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request) {
  return isendV9(comm, data, size, tag, mhandle, request);
}

Result irecvV9(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** request) {
  if (n < 1 || n > kMaxRecvs) return Result::kInvalidArgument;
  if (*request && defect("keeps-mark")) return Result::kSuccess;
  for (int i = 0; i < n; i++)
    if (!static_cast<Mr*>(mhandles[i])->covers(data[i], sizes[i])) return Result::kInvalidArgument;
  Request* made = nullptr;
  const Result result = static_cast<RecvComm*>(comm)->receive(n, data, sizes, tags, &made);
  *request = made;
  return result;
}
Result irecvV6(void* comm, int n, void** data, int* sizes, int* tags, void** mhandles, void** request) {
  size_t wide[kMaxRecvs] = {};
  for (int i = 0; i < n && i < kMaxRecvs; i++) wide[i] = static_cast<size_t>(sizes[i]);
  return irecvV9(comm, n, data, wide, tags, mhandles, request);
}
Result irecvV10(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void**, void** request) {
  return irecvV9(comm, n, data, sizes, tags, mhandles, request);
}

// Host memory: what test reported is there.
Result iflush(void*, int n, void** data, int* sizes, void** mhandles, void** request) {
  *request = nullptr;
  for (int i = 0; i < n && defect("flush-pairs"); i++)
    if (sizes[i] == 0 || !static_cast<Mr*>(mhandles[i])->covers(data[i], static_cast<size_t>(sizes[i])))
      return Result::kInternalError;
  return Result::kSuccess;
}

Result test(void* handle, int* done, int* sizes) {
  auto* request = static_cast<Request*>(handle);
  *done = 0;
  if (const Result result = request->comm->progress(); result != Result::kSuccess && !request->done) return result;
  if (!request->done) return Result::kSuccess;
  *done = 1;
  if (auto* receiver = dynamic_cast<RecvComm*>(request->comm)) {
    receiver->finish(request, sizes);
    return Result::kSuccess;
  }
  if (sizes) *sizes = request->sizes[0];
  request->comm = nullptr;
  return Result::kSuccess;
}

Result closeSend(void* comm) {
  if (!defect("leak")) delete static_cast<SendComm*>(comm);
  return Result::kSuccess;
}
Result closeRecv(void* comm) {
  if (defect("slow-close")) sleep(4);
  delete static_cast<RecvComm*>(comm);
  return Result::kSuccess;
}
Result closeListen(void* listener) {
  closeListener(static_cast<Listener*>(listener));
  return Result::kSuccess;
}
Result setNetAttr(void*, NetAttr*) { return Result::kSuccess; }

}  // namespace
}  // namespace reference

using namespace reference;
using namespace polyrail::nccl;

REFERENCE_EXPORT const NetV6 ncclNetPlugin_v6 = {
    "reference", initV6,  devices, getProperties, listenV6, connectV6, acceptV6,  regMrV6,    regMrDmaBuf,
    deregMr,     isendV6, irecvV6, iflush,        test,     closeSend, closeRecv, closeListen};
REFERENCE_EXPORT const NetV7 ncclNetPlugin_v7 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV6, regMrDmaBuf, deregMr,
    isendV6,     irecvV6, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr};
REFERENCE_EXPORT const NetV8 ncclNetPlugin_v8 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV6,     irecvV6, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr};
REFERENCE_EXPORT const NetV9 ncclNetPlugin_v9 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV9,     irecvV9, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr,     nullptr};
REFERENCE_EXPORT const NetV10 ncclNetPlugin_v10 = {
    "reference", initV10,  devices, getProperties, listenV6,  connectV10, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV10,    irecvV10, iflush,  test,          closeSend, closeRecv,  closeListen, nullptr, nullptr,     nullptr};
REFERENCE_EXPORT const NetV11 ncclNetPlugin_v11 = {
    "reference", initV11, devices,  getProperties, listenV11, connectV11, acceptV7,  regMrV8,
    regMrDmaBuf, deregMr, isendV10, irecvV10,      iflush,    test,       closeSend, closeRecv,
    closeListen, nullptr, nullptr,  nullptr,       finalize,  setNetAttr};
REFERENCE_EXPORT const NetV12 ncclNetPlugin_v12 = {
    "reference", initV11, devices,  getProperties, listenV11, connectV11, acceptV7,  regMrV8,
    regMrDmaBuf, deregMr, isendV10, irecvV10,      iflush,    test,       closeSend, closeRecv,
    closeListen, nullptr, nullptr,  nullptr,       finalize,  setNetAttr};
