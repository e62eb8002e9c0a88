// SPDX-License-Identifier: Apache-2.0
// The signatures of the functions in a net plugin's table (net_abi.h), each stated once and named after its member
// and the first ABI version that declares it so; what is the same from v6 to v12 has no number. `context` is what
// init made; before v11 there is none. Which thread calls what: net_abi.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/nccl/net_types.h"
#include "common/nccl/profiler_abi.h"
#include "common/nccl/result.h"

namespace polyrail::nccl {

using NetInitV6 = Result (*)(LogFunction log);
using NetInitV10 = Result (*)(LogFunction log, ProfilerCallback profile);
using NetInitV11 = Result (*)(void** context, uint64_t commId, NetCommConfig* config, LogFunction log,
                              ProfilerCallback profile);
using NetDevices = Result (*)(int* count);
template <typename Properties>
using NetGetProperties = Result (*)(int device, Properties* properties);

// listen writes at most kNetHandleBytes to handle. connect and accept are called again, with the same handle memory,
// until they set *comm.
using NetListenV6 = Result (*)(int device, void* handle, void** listenComm);
using NetListenV11 = Result (*)(void* context, int device, void* handle, void** listenComm);
using NetConnectV6 = Result (*)(int device, void* handle, void** sendComm);
using NetConnectV7 = Result (*)(int device, void* handle, void** sendComm, NetDeviceHandle** sendDevice);
using NetConnectV10 = Result (*)(int device, NetCommConfig* config, void* handle, void** sendComm,
                                 NetDeviceHandle** sendDevice);
using NetConnectV11 = Result (*)(void* context, int device, void* handle, void** sendComm,
                                 NetDeviceHandle** sendDevice);
using NetAcceptV6 = Result (*)(void* listenComm, void** recvComm);
using NetAcceptV7 = Result (*)(void* listenComm, void** recvComm, NetDeviceHandle** recvDevice);

// The fd of regMrDmaBuf is the caller's and is closed when the call returns.
using NetRegMrV6 = Result (*)(void* comm, void* data, int size, int type, void** mhandle);
using NetRegMrV8 = Result (*)(void* comm, void* data, size_t size, int type, void** mhandle);
using NetRegMrDmaBuf = Result (*)(void* comm, void* data, size_t size, int type, uint64_t offset, int fd,
                                  void** mhandle);
using NetDeregMr = Result (*)(void* comm, void* mhandle);

// *request stays null when the call must be made again later. The arrays of irecv and iflush have n members.
using NetIsendV6 = Result (*)(void* sendComm, void* data, int size, int tag, void* mhandle, void** request);
using NetIsendV9 = Result (*)(void* sendComm, void* data, size_t size, int tag, void* mhandle, void** request);
using NetIsendV10 = Result (*)(void* sendComm, void* data, size_t size, int tag, void* mhandle, void* phandle,
                               void** request);
using NetIrecvV6 = Result (*)(void* recvComm, int n, void** data, int* sizes, int* tags, void** mhandles,
                              void** request);
using NetIrecvV9 = Result (*)(void* recvComm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                              void** request);
using NetIrecvV10 = Result (*)(void* recvComm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                               void** phandles, void** request);
// Do not pair sizes[i] with data[i]: NCCL leaves finished members out of data, but not out of sizes.
using NetIflush = Result (*)(void* recvComm, int n, void** data, int* sizes, void** mhandles, void** request);
// Sets *done; sizes may be null and otherwise takes the bytes moved, one for each member of the request.
using NetTest = Result (*)(void* request, int* done, int* sizes);
using NetClose = Result (*)(void* comm);

// These may be null.
using NetGetDeviceMr = Result (*)(void* comm, void* mhandle, void** deviceMhandle);
using NetIrecvConsumed = Result (*)(void* recvComm, int n, void* request);
template <typename VDeviceProps>
using NetMakeVDevice = Result (*)(int* device, VDeviceProps* props);
using NetSetNetAttr = Result (*)(void* context, NetAttr* attr);

using NetFinalize = Result (*)(void* context);

}  // namespace polyrail::nccl
