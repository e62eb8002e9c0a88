// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_calls.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "test/contract/host/call_board.h"

namespace polyrail::contract {
namespace {

using namespace nccl;
using nccl::Result;  // not polyrail::Result

constexpr int kOldest = 6, kNewest = 12;

template <typename T, typename P, typename V = NetVDevicePropsV9>
struct Types {
  using Table = T;
  using Properties = P;
  using VDeviceProps = V;
};
template <int version>
struct Abi;
template <>
struct Abi<6> : Types<NetV6, NetPropertiesV6> {};
template <>
struct Abi<7> : Types<NetV7, NetPropertiesV7> {};
template <>
struct Abi<8> : Types<NetV8, NetPropertiesV8> {};
template <>
struct Abi<9> : Types<NetV9, NetPropertiesV9> {};
template <>
struct Abi<10> : Types<NetV10, NetPropertiesV10> {};
template <>
struct Abi<11> : Types<NetV11, NetPropertiesV11> {};
template <>
struct Abi<12> : Types<NetV12, NetPropertiesV12, NetVDevicePropsV12> {};
template <int version>
using Table = typename Abi<version>::Table;

template <int version>
const Table<version>* find(const Library& library) {
  return library.find<const Table<version>>(("ncclNetPlugin_v" + std::to_string(version)).c_str());
}

// What the properties of an older version do not say is what NCCL assumes.
NetPropertiesV12 assumed(int device) {
  NetPropertiesV12 p{};
  p.vProps.ndevs = 1;
  p.vProps.devs[0] = device;
  p.maxP2pBytes = kNetMaxBytesV8;
  p.maxCollBytes = kNetMaxBytesV8 / 2;
  p.maxMultiRequestSize = 1;
  p.railId = p.planeId = kNetUndefined;
  return p;
}

template <int version, typename Properties>
void copyProperties(const Properties& from, NetPropertiesV12* to) {
  to->name = from.name, to->pciPath = from.pciPath, to->guid = from.guid, to->ptrSupport = from.ptrSupport;
  to->speed = from.speed, to->port = from.port, to->latency = from.latency;
  to->maxComms = from.maxComms, to->maxRecvs = from.maxRecvs;
  if constexpr (version >= 7) to->netDeviceType = from.netDeviceType, to->netDeviceVersion = from.netDeviceVersion;
  if constexpr (version >= 8) to->regIsGlobal = from.regIsGlobal;
  if constexpr (version >= 9) {
    to->forceFlush = from.forceFlush;
    to->vProps.ndevs = from.vProps.ndevs;
    for (int i = 0; i < from.vProps.ndevs && i < static_cast<int>(std::size(from.vProps.devs)); i++)
      to->vProps.devs[i] = from.vProps.devs[i];
    to->maxP2pBytes = from.maxP2pBytes, to->maxCollBytes = from.maxCollBytes;
  }
  if constexpr (version >= 11) to->maxMultiRequestSize = from.maxMultiRequestSize;
  if constexpr (version >= 12) to->railId = from.railId, to->planeId = from.planeId;
}

// The function behind a note of its name; empty when the plugin has none.
template <typename R, typename... A, typename F>
void note(std::function<R(A...)>& to, const char* name, F function) {
  if constexpr (std::is_pointer_v<F>)
    if (function == nullptr) return;
  to = [name, function](A... arguments) {
    const InCall here(name);
    return function(arguments...);
  };
}

template <int version>
void bindSetUp(const Table<version>* t, NetCalls& c) {
  note(c.init, "init",
       [t](void** context, uint64_t id, NetCommConfig* config, LogFunction log, ProfilerCallback profile) {
         if constexpr (version >= 11)
           return t->init(context, id, config, log, profile);
         else if constexpr (version == 10)
           return t->init(log, profile);
         else
           return t->init(log);
       });
  if constexpr (version >= 11) note(c.finalize, "finalize", t->finalize);
  note(c.listen, "listen", [t](void* context, int device, void* handle, void** comm) {
    if constexpr (version >= 11)
      return t->listen(context, device, handle, comm);
    else
      return t->listen(device, handle, comm);
  });
  note(c.connect, "connect",
       [t](void* context, int device, NetCommConfig* config, void* handle, void** comm,
           [[maybe_unused]] NetDeviceHandle** place) {
         if constexpr (version >= 11)
           return t->connect(context, device, handle, comm, place);
         else if constexpr (version == 10)
           return t->connect(device, config, handle, comm, place);
         else if constexpr (version >= 7)
           return t->connect(device, handle, comm, place);
         else
           return t->connect(device, handle, comm);
       });
  note(c.accept, "accept", [t](void* listenComm, void** comm, [[maybe_unused]] NetDeviceHandle** place) {
    if constexpr (version >= 7)
      return t->accept(listenComm, comm, place);
    else
      return t->accept(listenComm, comm);
  });
}

// The poison shows a member that the plugin forgot.
template <int version>
void bindProperties(const Table<version>* t, NetCalls& c) {
  note(c.getProperties, "getProperties", [t](int device, NetPropertiesV12* out) {
    typename Abi<version>::Properties properties;
    std::memset(static_cast<void*>(&properties), 0xa5, sizeof(properties));
    const Result result = t->getProperties(device, &properties);
    *out = assumed(device);
    if (result == Result::kSuccess) copyProperties<version>(properties, out);
    return result;
  });
}

template <int version>
void bindTransfers(const Table<version>* t, NetCalls& c) {
  note(c.regMr, "regMr", [t](void* comm, void* data, size_t size, int type, void** mhandle) {
    if constexpr (version >= 8)
      return t->regMr(comm, data, size, type, mhandle);
    else if (size > std::numeric_limits<int>::max())
      return Result::kInternalError;
    else
      return t->regMr(comm, data, static_cast<int>(size), type, mhandle);
  });
  note(c.isend, "isend",
       [t](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
         if constexpr (version >= 10)
           return t->isend(comm, data, size, tag, mhandle, phandle, request);
         else if constexpr (version == 9)
           return t->isend(comm, data, size, tag, mhandle, request);
         else if (size > kNetMaxBytesV8)
           return Result::kInternalError;
         else
           return t->isend(comm, data, static_cast<int>(size), tag, mhandle, request);
       });
  note(c.irecv, "irecv",
       [t](void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** phandles,
           void** request) {
         if constexpr (version >= 10)
           return t->irecv(comm, n, data, sizes, tags, mhandles, phandles, request);
         else if constexpr (version == 9)
           return t->irecv(comm, n, data, sizes, tags, mhandles, request);
         else {
           std::array<int, kNetMaxGroup> small;
           if (*request == reinterpret_cast<void*>(kNetOptionalRecvCompletion)) *request = nullptr;
           for (int i = 0; i < n; i++) {
             if (sizes[i] > kNetMaxBytesV8) return Result::kInternalError;
             small[i] = static_cast<int>(sizes[i]);
           }
           return t->irecv(comm, n, data, small.data(), tags, mhandles, request);
         }
       });
}

template <int version>
NetCalls bind(const Table<version>* t) {
  NetCalls c;
  c.abi = version, c.name = t->name;
  note(c.devices, "devices", t->devices);
  bindSetUp<version>(t, c);
  bindProperties<version>(t, c);
  bindTransfers<version>(t, c);
  note(c.regMrDmaBuf, "regMrDmaBuf", t->regMrDmaBuf), note(c.deregMr, "deregMr", t->deregMr);
  note(c.iflush, "iflush", t->iflush), note(c.test, "test", t->test);
  note(c.closeSend, "closeSend", t->closeSend), note(c.closeRecv, "closeRecv", t->closeRecv);
  note(c.closeListen, "closeListen", t->closeListen);
  if constexpr (version >= 7) note(c.irecvConsumed, "irecvConsumed", t->irecvConsumed);
  if constexpr (version >= 9)
    if (t->makeVDevice)
      note(c.makeVDevice, "makeVDevice", [t](int* device, NetVDevicePropsV12* props) {
        return t->makeVDevice(device, reinterpret_cast<typename Abi<version>::VDeviceProps*>(props));
      });
  if constexpr (version >= 11) note(c.setNetAttr, "setNetAttr", t->setNetAttr);
  return c;
}

template <int version>
void noteMissing(const Library& library, std::vector<std::string>& missing) {
  const Table<version>* t = find<version>(library);
  if (t == nullptr) return;
  const auto need = [&](bool present, const char* name) {
    if (!present) missing.push_back("v" + std::to_string(version) + ": " + name);
  };
  need(t->name, "name"), need(t->init, "init"), need(t->devices, "devices"), need(t->getProperties, "getProperties");
  need(t->listen, "listen"), need(t->connect, "connect"), need(t->accept, "accept");
  need(t->regMr, "regMr"), need(t->deregMr, "deregMr");
  need(t->isend, "isend"), need(t->irecv, "irecv"), need(t->iflush, "iflush"), need(t->test, "test");
  need(t->closeSend, "closeSend"), need(t->closeRecv, "closeRecv"), need(t->closeListen, "closeListen");
  if constexpr (version >= 11) need(t->finalize, "finalize");
}

template <int version>
void appendTable(const Library& library, std::string& bytes) {
  if (const Table<version>* t = find<version>(library)) bytes.append(reinterpret_cast<const char*>(t), sizeof(*t));
}

template <int version>
std::optional<NetCalls> bindFrom(const Library& library, int newestAbi) {
  if (version <= newestAbi)
    if (const Table<version>* t = find<version>(library)) return bind<version>(t);
  if constexpr (version > kOldest)
    return bindFrom<version - 1>(library, newestAbi);
  else
    return std::nullopt;
}

}  // namespace

std::optional<NetCalls> bindNet(const Library& library, int newestAbi) {
  return bindFrom<kNewest>(library, newestAbi);
}

std::vector<std::string> missingFunctions(const Library& library) {
  std::vector<std::string> missing;
  [&]<int... i>(std::integer_sequence<int, i...>) { (noteMissing<kOldest + i>(library, missing), ...); }
  (std::make_integer_sequence<int, kNewest - kOldest + 1>());
  return missing;
}

std::string tableBytes(const Library& library) {
  std::string bytes;
  [&]<int... i>(std::integer_sequence<int, i...>) { (appendTable<kOldest + i>(library, bytes), ...); }
  (std::make_integer_sequence<int, kNewest - kOldest + 1>());
  return bytes;
}

}  // namespace polyrail::contract
