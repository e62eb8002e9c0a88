// SPDX-License-Identifier: Apache-2.0
// A net plugin's table of one ABI version behind the newest shape of call, as NCCL's adapters make it
// (src/plugin/net/net_v6.cc to net_v12.cc, 2.30.7): types changed, sizes beyond 1 GiB refused for v6 to v8, the mark
// for optional receive completion removed for those. Valid until the library is closed. Thread-safety is the
// plugin's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/nccl/net_abi.h"
#include "test/contract/host/library.h"

namespace polyrail::contract {

struct NetCalls {
  int abi = 0;
  const char* name = nullptr;
  std::function<nccl::Result(void** context, uint64_t commId, nccl::NetCommConfig*, nccl::LogFunction,
                             nccl::ProfilerCallback)>
      init = {};
  std::function<nccl::Result(void* context)> finalize = {};  // empty before v11
  nccl::NetDevices devices = nullptr;
  std::function<nccl::Result(int device, nccl::NetPropertiesV12*)> getProperties = {};
  std::function<nccl::Result(void* context, int device, void* handle, void** comm)> listen = {};
  std::function<nccl::Result(void* context, int device, nccl::NetCommConfig*, void* handle, void** comm)> connect =
      {};
  std::function<nccl::Result(void* listenComm, void** comm)> accept = {};
  std::function<nccl::Result(void* comm, void* data, size_t size, int type, void** mhandle)> regMr = {};
  nccl::NetRegMrDmaBuf regMrDmaBuf = nullptr;
  nccl::NetDeregMr deregMr = nullptr;
  std::function<nccl::Result(void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle,
                             void** request)>
      isend = {};
  std::function<nccl::Result(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles,
                             void** phandles, void** request)>
      irecv = {};
  nccl::NetIflush iflush = nullptr;
  nccl::NetTest test = nullptr;
  nccl::NetClose closeSend = nullptr, closeRecv = nullptr, closeListen = nullptr;
  nccl::NetIrecvConsumed irecvConsumed = nullptr;  // these three may be empty
  std::function<nccl::Result(int* device, nccl::NetVDevicePropsV12*)> makeVDevice = {};
  nccl::NetSetNetAttr setNetAttr = nullptr;
};

// Looks up ncclNetPlugin_v12 to _v6, newest first, from `newestAbi` down; nothing when there is none.
std::optional<NetCalls> bindNet(const Library& library, int newestAbi);

// Functions that NCCL calls unguarded and that are null, as "v9: irecv"; over all versions exported.
std::vector<std::string> missingFunctions(const Library& library);

// Bytes of all exported tables: they must be the same until the library is closed.
std::string tableBytes(const Library& library);

}  // namespace polyrail::contract
