// SPDX-License-Identifier: Apache-2.0
// Devices of the reference net plugin: two made-up ones, and virtual ones that fuse them. Callers hold NCCL's lock.
#pragma once

#include "common/nccl/net_abi.h"

namespace reference {

polyrail::nccl::Result devices(int* count);
polyrail::nccl::Result fuse(int* device, int ndevs, const int* devs);

// What is the same in all versions: name, speed and members of a device. False for one that does not exist.
struct Device {
  char* name;
  int speed;
  int ndevs;
  int devs[polyrail::nccl::kNetMaxDevsPerNicV11];
};
const Device* deviceAt(int number);

template <typename Properties>
polyrail::nccl::Result getProperties(int number, Properties* p) {
  using namespace polyrail::nccl;
  const Device* device = deviceAt(number);
  if (device == nullptr) return Result::kInvalidArgument;
  p->name = device->name, p->pciPath = nullptr, p->guid = static_cast<uint64_t>(number);
  p->ptrSupport = kPtrHost | kPtrCuda | kPtrDmaBuf, p->speed = device->speed, p->port = 1, p->latency = 10;
  p->maxComms = 1 << 16, p->maxRecvs = 8;
  if constexpr (requires { p->netDeviceType; }) p->netDeviceType = NetDeviceType::kHost, p->netDeviceVersion = 0;
  if constexpr (requires { p->regIsGlobal; }) p->regIsGlobal = 0;
  if constexpr (requires { p->forceFlush; }) {
    p->forceFlush = 0;
    p->vProps.ndevs = device->ndevs;
    for (int i = 0; i < device->ndevs; i++) p->vProps.devs[i] = device->devs[i];
    p->maxP2pBytes = p->maxCollBytes = kNetMaxBytesV8;
  }
  if constexpr (requires { p->maxMultiRequestSize; }) p->maxMultiRequestSize = 1;
  if constexpr (requires { p->railId; }) p->railId = p->planeId = kNetUndefined;
  return Result::kSuccess;
}

}  // namespace reference
