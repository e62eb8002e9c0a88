// SPDX-License-Identifier: Apache-2.0
// The functions of the reference net plugin, each named after its member of the table and the first ABI version that
// has it so; tables.cc puts them together. Threads: as NCCL calls them.
#pragma once

#include "common/nccl/net_abi.h"
#include "test/contract/plugins/reference_net/devices.h"

namespace reference {

using namespace polyrail::nccl;

Result initV6(LogFunction);
Result initV10(LogFunction, ProfilerCallback);
Result initV11(void** context, uint64_t, NetCommConfig*, LogFunction, ProfilerCallback);
Result finalize(void* context);
Result listenV6(int, void* handle, void** comm);
Result listenV11(void*, int device, void* handle, void** comm);
Result connectV6(int, void* handle, void** comm);
Result connectV7(int device, void* handle, void** comm, NetDeviceHandle**);
Result connectV10(int device, NetCommConfig*, void* handle, void** comm, NetDeviceHandle**);
Result connectV11(void*, int device, void* handle, void** comm, NetDeviceHandle**);
Result acceptV6(void* listener, void** comm);
Result acceptV7(void* listener, void** comm, NetDeviceHandle**);
Result regMrV8(void*, void* data, size_t size, int type, void** mhandle);
Result regMrV6(void* comm, void* data, int size, int type, void** mhandle);
Result regMrDmaBuf(void* comm, void* data, size_t size, int type, uint64_t, int, void** mhandle);
Result deregMr(void*, void* mhandle);
Result isendV9(void* comm, void* data, size_t size, int tag, void* mhandle, void** request);
Result isendV6(void* comm, void* data, int size, int tag, void* mhandle, void** request);
Result isendV10(void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request);
Result irecvV9(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** request);
Result irecvV6(void* comm, int n, void** data, int* sizes, int* tags, void** mhandles, void** request);
Result irecvV10(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void**, void** request);
Result iflush(void*, int, void**, int*, void**, void** request);
Result test(void* handle, int* done, int* sizes);
Result closeSend(void* comm);
Result closeRecv(void* comm);
Result closeListen(void* listener);
Result fuseV9(int* device, NetVDevicePropsV9* p);
Result fuseV12(int* device, NetVDevicePropsV12* p);
Result setNetAttr(void*, NetAttr*);

}  // namespace reference
