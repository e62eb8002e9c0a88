// SPDX-License-Identifier: Apache-2.0
// The structs and numbers that NCCL and a net plugin exchange, per ABI version; the tables of functions are in
// net_abi.h. A struct that did not change keeps the name of the first version that had it, the later names are
// aliases. Facts from src/include/plugin/net/net_v6.h … net_v12.h and nccl_net.h of NCCL 2.30.7; layouts are pinned
// by test/unit/nccl-abi. Plain values without owners.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyrail::nccl {

inline constexpr size_t kNetHandleBytes = 128;             // what listen may write
inline constexpr int64_t kNetMaxBytes = int64_t{1} << 40;  // upper limit of maxP2pBytes and maxCollBytes
inline constexpr int64_t kNetMaxBytesV8 = 1 << 30;         // largest message that NCCL hands to v6 to v8
inline constexpr int kNetMaxRequests = 32;                 // groups in flight on one comm; 8 in NCCL <= 2.18
inline constexpr int kNetMaxRequestsV6 = 8;
inline constexpr int kNetMaxGroup = 64;      // the most receives NCCL can group; NCCL_PROXY_MAX_SUBS, proxy.h
inline constexpr int kNetMaxDevsPerNic = 8;  // NICs in a virtual NIC, v12
inline constexpr int kNetMaxDevsPerNicV11 = 4;
inline constexpr int kNetUndefined = -1;  // traffic class, attributes, rail and plane that nobody has set

// Bits of ptrSupport; regMr's type is kPtrHost or kPtrCuda.
inline constexpr int kPtrHost = 1;
inline constexpr int kPtrCuda = 2;
inline constexpr int kPtrDmaBuf = 4;

// What *request holds when NCCL calls irecv for LL or LL128 (v9 on): the data carries its own flags, so the plugin
// may complete the receive without having heard of its arrival.
inline constexpr uintptr_t kNetOptionalRecvCompletion = 1;
// Reserved beside it from v11 on; NCCL's core up to 2.30.7 never passes it.
inline constexpr uintptr_t kNetMultiRequest = 2;

// Who drives the connection; everything but kHost is device-side code that polyrail does not have.
enum class NetDeviceType : int { kHost = 0, kUnpack = 1, kGinProxy = 2, kGinGdaki = 3, kGinGpi = 4 };

struct NetDeviceHandleV7 {  // the same to v12
  NetDeviceType netDeviceType;
  int netDeviceVersion;
  void* handle;
  size_t size;
  int needsProxyProgress;
};
using NetDeviceHandle = NetDeviceHandleV7;

struct NetVDevicePropsV9 {  // a virtual NIC: which NICs it fuses. ndevs must be set: NCCL's adapters loop to it.
  int ndevs;
  int devs[kNetMaxDevsPerNicV11];
};
using NetVDevicePropsV10 = NetVDevicePropsV9;
using NetVDevicePropsV11 = NetVDevicePropsV9;

struct NetVDevicePropsV12 {
  int ndevs;
  int devs[kNetMaxDevsPerNic];
};
using NetVDeviceProps = NetVDevicePropsV12;

struct NetPropertiesV6 {
  char* name;     // the plugin keeps these two alive; NCCL only reads
  char* pciPath;  // real path below /sys; null for none
  uint64_t guid;  // equal for ports of one physical card
  int ptrSupport;
  int speed;  // Mbit/s; of a virtual NIC the sum
  int port;
  float latency;  // microseconds
  int maxComms;
  int maxRecvs;
};

struct NetPropertiesV7 {
  char* name;
  char* pciPath;
  uint64_t guid;
  int ptrSupport;
  int speed;
  int port;
  float latency;
  int maxComms;
  int maxRecvs;
  NetDeviceType netDeviceType;
  int netDeviceVersion;
};

struct NetPropertiesV8 {
  char* name;
  char* pciPath;
  uint64_t guid;
  int ptrSupport;
  int regIsGlobal;  // a registration serves all comms of the device
  int speed;
  int port;
  float latency;
  int maxComms;
  int maxRecvs;
  NetDeviceType netDeviceType;
  int netDeviceVersion;
};

struct NetPropertiesV9 {
  char* name;
  char* pciPath;
  uint64_t guid;
  int ptrSupport;
  int regIsGlobal;
  int forceFlush;  // NCCL must call iflush also where the GPU would not need it
  int speed;
  int port;
  float latency;
  int maxComms;
  int maxRecvs;
  NetDeviceType netDeviceType;
  int netDeviceVersion;
  NetVDevicePropsV9 vProps;
  size_t maxP2pBytes;
  size_t maxCollBytes;
};
using NetPropertiesV10 = NetPropertiesV9;

struct NetPropertiesV11 {
  char* name;
  char* pciPath;
  uint64_t guid;
  int ptrSupport;
  int regIsGlobal;
  int forceFlush;
  int speed;
  int port;
  float latency;
  int maxComms;
  int maxRecvs;
  NetDeviceType netDeviceType;
  int netDeviceVersion;
  NetVDevicePropsV11 vProps;
  size_t maxP2pBytes;
  size_t maxCollBytes;
  int maxMultiRequestSize;
};

struct NetPropertiesV12 {
  char* name;
  char* pciPath;
  uint64_t guid;
  int ptrSupport;
  int regIsGlobal;
  int forceFlush;
  int speed;
  int port;
  float latency;
  int maxComms;
  int maxRecvs;
  NetDeviceType netDeviceType;
  int netDeviceVersion;
  NetVDevicePropsV12 vProps;
  size_t maxP2pBytes;
  size_t maxCollBytes;
  int maxMultiRequestSize;
  int16_t railId;  // kNetUndefined when unknown
  int16_t planeId;
};

struct NetCommConfigV10 {  // the same to v12
  int trafficClass;        // kNetUndefined: the communicator did not say
};
using NetCommConfigV11 = NetCommConfigV10;
using NetCommConfigV12 = NetCommConfigV10;
using NetCommConfig = NetCommConfigV12;

// What a coming transfer looks like; hints, kNetUndefined where NCCL does not know.
struct NetCommAttrV11 {
  int32_t maxConcurrentPeers;
  int32_t minConcurrentPeers;
  int32_t maxFlowsPerPeer;
  int32_t minFlowsPerPeer;
};
struct NetAttrV11 {  // the same in v12
  NetCommAttrV11 sendCommAttr;
  NetCommAttrV11 recvCommAttr;
  uint32_t op;  // bit masks of collectives, algorithms and protocols as in terms.h
  uint32_t algo;
  uint32_t proto;
};
using NetCommAttrV12 = NetCommAttrV11;
using NetAttrV12 = NetAttrV11;
using NetAttr = NetAttrV12;

}  // namespace polyrail::nccl
