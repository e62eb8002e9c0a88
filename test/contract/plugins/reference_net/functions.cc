// SPDX-License-Identifier: Apache-2.0
#include "test/contract/plugins/reference_net/functions.h"

#include "test/contract/plugins/reference_net/connect.h"

namespace reference {

Result initV6(LogFunction) { return Result::kSuccess; }
Result initV10(LogFunction, ProfilerCallback) { return Result::kSuccess; }
Result initV11(void** context, uint64_t, NetCommConfig*, LogFunction, ProfilerCallback) {
  *context = new int(0);
  return Result::kSuccess;
}
Result finalize(void* context) {
  delete static_cast<int*>(context);
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

// GPU memory is memory like any other to a plugin that copies with the processor.
Result regMrV8(void*, void* data, size_t size, int type, void** mhandle) {
  if (type != kPtrHost && type != kPtrCuda) return Result::kInvalidArgument;
  *mhandle = new Mr{static_cast<char*>(data), size};
  return Result::kSuccess;
}
Result regMrV6(void* comm, void* data, int size, int type, void** mhandle) {
  return regMrV8(comm, data, static_cast<size_t>(size), type, mhandle);
}
Result regMrDmaBuf(void* comm, void* data, size_t size, int type, uint64_t, int, void** mhandle) {
  return regMrV8(comm, data, size, type, mhandle);
}
Result deregMr(void*, void* mhandle) {
  delete static_cast<Mr*>(mhandle);
  return Result::kSuccess;
}

Result isendV9(void* comm, void* data, size_t size, int tag, void* mhandle, void** request) {
  if (!static_cast<Mr*>(mhandle)->covers(data, size)) return Result::kInvalidArgument;
  return static_cast<SendComm*>(comm)->send(static_cast<char*>(data), size, tag,
                                            reinterpret_cast<Request**>(request));
}
Result isendV6(void* comm, void* data, int size, int tag, void* mhandle, void** request) {
  return isendV9(comm, data, static_cast<size_t>(size), tag, mhandle, request);
}
Result isendV10(void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request) {
  return isendV9(comm, data, size, tag, mhandle, request);
}

Result irecvV9(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** request) {
  if (n < 1 || n > kMaxRecvs) return Result::kInvalidArgument;
  for (int i = 0; i < n; i++)
    if (!static_cast<Mr*>(mhandles[i])->covers(data[i], sizes[i])) return Result::kInvalidArgument;
  return static_cast<RecvComm*>(comm)->receive(n, data, sizes, tags, reinterpret_cast<Request**>(request));
}
Result irecvV6(void* comm, int n, void** data, int* sizes, int* tags, void** mhandles, void** request) {
  size_t wide[kMaxRecvs] = {};
  for (int i = 0; i < n && i < kMaxRecvs; i++) wide[i] = static_cast<size_t>(sizes[i]);
  return irecvV9(comm, n, data, wide, tags, mhandles, request);
}
Result irecvV10(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void**, void** request) {
  return irecvV9(comm, n, data, sizes, tags, mhandles, request);
}

// What test reported is there: a flush is done before it began.
Result iflush(void*, int, void**, int*, void**, void** request) {
  *request = nullptr;
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
  delete static_cast<SendComm*>(comm);
  return Result::kSuccess;
}
Result closeRecv(void* comm) {
  delete static_cast<RecvComm*>(comm);
  return Result::kSuccess;
}
Result closeListen(void* listener) {
  closeListener(static_cast<Listener*>(listener));
  return Result::kSuccess;
}
Result fuseV9(int* device, NetVDevicePropsV9* p) { return fuse(device, p->ndevs, p->devs); }
Result fuseV12(int* device, NetVDevicePropsV12* p) { return fuse(device, p->ndevs, p->devs); }
Result setNetAttr(void*, NetAttr*) { return Result::kSuccess; }

}  // namespace reference
