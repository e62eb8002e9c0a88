// SPDX-License-Identifier: Apache-2.0
// Finds the Ethernet bond below a RoCE port: one queue pair hashes to one of its cables, so that a job with few queue
// pairs reaches half the rate (NVIDIA/nccl issue 1015). Any thread.
#pragma once

#include <optional>
#include <string>

#include "common/sysroot.h"
#include "net/device/port.h"

namespace polyrail::net {

// From /sys/class/net: `netdev` is the bond, or a member of it. Nothing when there is none.
std::optional<Bond> findBond(const SysRoot& root, const std::string& netdev);

}  // namespace polyrail::net
