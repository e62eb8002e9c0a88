// SPDX-License-Identifier: Apache-2.0
// NCCL's net plugin ABI, versions 6 to 12: the tables of functions that a plugin exports as ncclNetPlugin_vN. They
// appear here and in the adapters only; the core speaks its own types. Facts from
// src/include/plugin/net/net_v6.h … net_v12.h of NCCL 2.30.7; order, layout and signatures are pinned per version by
// test/unit/nccl-abi and compared with a real NCCL by `make check-abi`. A table must stay valid and constant until
// dlclose. Three callers: NCCL's init lock (init, devices, getProperties, makeVDevice, finalize), one service thread
// a communicator (listen … closeListen, regMr …) and one progress thread (isend, irecv, iflush, test): the last two
// run concurrently on one comm. None may block.
#pragma once

#include "common/nccl/net_functions.h"
#include "common/nccl/net_types.h"

namespace polyrail::nccl {

struct NetV6 {  // NCCL 2.13 to 2.18
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV6> getProperties;
  NetListenV6 listen;
  NetConnectV6 connect;
  NetAcceptV6 accept;
  NetRegMrV6 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV6 isend;
  NetIrecvV6 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
};

struct NetV7 {  // NCCL 2.19
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV7> getProperties;
  NetListenV6 listen;
  NetConnectV7 connect;
  NetAcceptV7 accept;
  NetRegMrV6 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV6 isend;
  NetIrecvV6 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
};

struct NetV8 {  // NCCL 2.20 to 2.23
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV8> getProperties;
  NetListenV6 listen;
  NetConnectV7 connect;
  NetAcceptV7 accept;
  NetRegMrV8 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV6 isend;
  NetIrecvV6 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
};

struct NetV9 {  // NCCL 2.24, 2.25
  const char* name;
  NetInitV6 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV9> getProperties;
  NetListenV6 listen;
  NetConnectV7 connect;
  NetAcceptV7 accept;
  NetRegMrV8 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV9 isend;
  NetIrecvV9 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
  NetMakeVDevice<NetVDevicePropsV9> makeVDevice;
};

struct NetV10 {  // NCCL 2.26, 2.27
  const char* name;
  NetInitV10 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV10> getProperties;
  NetListenV6 listen;
  NetConnectV10 connect;
  NetAcceptV7 accept;
  NetRegMrV8 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV10 isend;
  NetIrecvV10 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
  NetMakeVDevice<NetVDevicePropsV10> makeVDevice;
};

struct NetV11 {  // NCCL 2.28, 2.29
  const char* name;
  NetInitV11 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV11> getProperties;
  NetListenV11 listen;
  NetConnectV11 connect;
  NetAcceptV7 accept;
  NetRegMrV8 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV10 isend;
  NetIrecvV10 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
  NetMakeVDevice<NetVDevicePropsV11> makeVDevice;
  NetFinalize finalize;
  NetSetNetAttr setNetAttr;
};

struct NetV12 {  // NCCL 2.30, 2.31
  const char* name;
  NetInitV11 init;
  NetDevices devices;
  NetGetProperties<NetPropertiesV12> getProperties;
  NetListenV11 listen;
  NetConnectV11 connect;
  NetAcceptV7 accept;
  NetRegMrV8 regMr;
  NetRegMrDmaBuf regMrDmaBuf;
  NetDeregMr deregMr;
  NetIsendV10 isend;
  NetIrecvV10 irecv;
  NetIflush iflush;
  NetTest test;
  NetClose closeSend;
  NetClose closeRecv;
  NetClose closeListen;
  NetGetDeviceMr getDeviceMr;
  NetIrecvConsumed irecvConsumed;
  NetMakeVDevice<NetVDevicePropsV12> makeVDevice;
  NetFinalize finalize;
  NetSetNetAttr setNetAttr;
};

}  // namespace polyrail::nccl
