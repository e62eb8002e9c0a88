// SPDX-License-Identifier: Apache-2.0
// A net plugin's table of one ABI version behind the newest shape of call, as NCCL's adapters make it
// (src/plugin/net/net_v6.cc to net_v12.cc, 2.30.7): types changed, sizes beyond 1 GiB refused for v6 to v8, the mark
// for optional receive completion removed for those. Every call is noted on the CallBoard. Valid until the library is
// closed. Thread-safety is the plugin's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/nccl/net_abi.h"
#include "test/contract/host/library.h"

namespace polyrail::contract {

struct NetCalls {
  using Result = nccl::Result;
  int abi = 0;
  const char* name = nullptr;
  std::function<Result(void** context, uint64_t commId, nccl::NetCommConfig*, nccl::LogFunction,
                       nccl::ProfilerCallback)>
      init = {};
  std::function<Result(void* context)> finalize = {};  // empty before v11
  std::function<Result(int* count)> devices = {};
  std::function<Result(int device, nccl::NetPropertiesV12*)> getProperties = {};
  std::function<Result(void* context, int device, void* handle, void** comm)> listen = {};
  // NCCL's GPUDirect probe passes no place for a device handle.
  std::function<Result(void* context, int device, nccl::NetCommConfig*, void* handle, void** comm,
                       nccl::NetDeviceHandle**)>
      connect = {};
  std::function<Result(void* listenComm, void** comm, nccl::NetDeviceHandle**)> accept = {};
  std::function<Result(void* comm, void* data, size_t size, int type, void** mhandle)> regMr = {};
  std::function<Result(void* comm, void* data, size_t size, int type, uint64_t offset, int fd, void** mhandle)>
      regMrDmaBuf = {};
  std::function<Result(void* comm, void* mhandle)> deregMr = {};
  std::function<Result(void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request)>
      isend = {};
  std::function<Result(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** phandles,
                       void** request)>
      irecv = {};
  std::function<Result(void* comm, int n, void** data, int* sizes, void** mhandles, void** request)> iflush = {};
  std::function<Result(void* request, int* done, int* sizes)> test = {};
  std::function<Result(void*comm)> closeSend = {}, closeRecv = {}, closeListen = {};
  // These three may be empty.
  std::function<Result(void* comm, int n, void* request)> irecvConsumed = {};
  std::function<Result(int* device, nccl::NetVDevicePropsV12*)> makeVDevice = {};
  std::function<Result(void* context, nccl::NetAttr*)> setNetAttr = {};
};

// Looks up ncclNetPlugin_v12 to _v6, newest first, from `newestAbi` down; nothing when there is none.
std::optional<NetCalls> bindNet(const Library& library, int newestAbi);

// Functions that NCCL calls unguarded and that are null, as "v9: irecv"; over all versions exported.
std::vector<std::string> missingFunctions(const Library& library);

// Bytes of all exported tables: they must be the same until the library is closed.
std::string tableBytes(const Library& library);

}  // namespace polyrail::contract
