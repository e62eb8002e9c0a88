// SPDX-License-Identifier: Apache-2.0
// getProperties for every version: each struct has some of the same fields, and each field is filled where there is
// one. Stateless.
#pragma once

#include <algorithm>
#include <type_traits>

#include "common/nccl/net_types.h"
#include "net/device/node.h"
#include "net/path/layout.h"
#include "net/plugin/calls.h"

namespace polyrail::net {

template <typename Properties>
void fillVirtual(Properties* p, const NodeDevice& d) {
  constexpr size_t most = std::extent_v<decltype(p->vProps.devs)>;
  p->vProps.ndevs = static_cast<int>(std::min(d.members.size(), most));
  for (size_t i = 0; i < d.members.size() && i < most; i++) p->vProps.devs[i] = d.members[i];
}

template <typename Properties>
nccl::Result getProperties(int device, Properties* p) noexcept {
  // Versions with virtual devices are those that ask for fusion.
  constexpr bool asks = requires { p->vProps; };
  constexpr Node::Fusion fusion = asks ? Node::Fusion::kByNccl : Node::Fusion::kByUs;
  const NodeDevice* d = findDevice(fusion, device);
  if (!d) return nccl::Result::kInvalidArgument;
  *p = {};
  p->name = const_cast<char*>(d->name.c_str());
  p->pciPath = d->pciPath.empty() ? nullptr : const_cast<char*>(d->pciPath.c_str());
  p->guid = d->guid;
  p->ptrSupport = d->ptrSupport;
  p->speed = static_cast<int>(d->speedMbps);
  p->port = d->port;
  p->latency = d->latencyUs;
  p->maxComms = d->maxComms;
  p->maxRecvs = static_cast<int>(kGroup);
  if constexpr (requires { p->netDeviceType; }) p->netDeviceType = nccl::NetDeviceType::kHost;
  // The cache belongs to the device, so a part of a registered buffer costs no system call.
  if constexpr (requires { p->regIsGlobal; }) p->regIsGlobal = 1;
  if constexpr (requires { p->forceFlush; }) p->forceFlush = d->forceFlush;
  if constexpr (requires { p->vProps; }) {
    fillVirtual(p, *d);
    p->maxP2pBytes = p->maxCollBytes = longestMessage(fusion, *d);
  }
  if constexpr (requires { p->maxMultiRequestSize; }) p->maxMultiRequestSize = 1;
  if constexpr (requires { p->railId; }) {
    p->railId = static_cast<int16_t>(d->rail);
    p->planeId = static_cast<int16_t>(d->plane);
  }
  return nccl::Result::kSuccess;
}

}  // namespace polyrail::net
