// SPDX-License-Identifier: Apache-2.0
// Finds the ports that can be rails: opens every NIC that NCCL_IB_HCA allows, asks it, reads /sys beside it, and
// decides. Call at init or from the command, from one thread; everything opened is closed again.
#pragma once

#include "common/sysroot.h"
#include "net/device/port.h"
#include "net/settings.h"
#include "net/verbs/mlx5.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

// At most this many ports are used; NCCL's own limit (MAX_IB_DEVS, src/transport/net_ib/common.h, 2.30.7).
inline constexpr size_t kMaxPorts = 32;

// No port is not an error: look at `refused`. An error is that verbs itself does not work, with the remedy. Without
// `mlx5` no data-direct interface is found.
Result<Enumeration> enumerate(const Verbs& verbs, const SysRoot& root, const DeviceSettings& settings,
                              const Mlx5& mlx5 = {});

// The same from a recorded /sys alone, with no NIC at hand; limits, MTU and DMA-BUF stay unknown.
Result<Enumeration> enumerateRecorded(const SysRoot& root, const DeviceSettings& settings);

}  // namespace polyrail::net
