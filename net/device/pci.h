// SPDX-License-Identifier: Apache-2.0
// PCI places as they show in real paths below /sys ("/sys/devices/pci0000:16/0000:16:02.0/0000:17:00.1"). Pure
// functions, but for those that take a SysRoot; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/sysroot.h"

namespace polyrail::net {

// The last component when it is a PCI address, as a number that orders by domain, bus, device, function.
std::optional<uint64_t> pciNumber(const std::string& realPath);
// The components that are PCI addresses, from the root port down, and the host bridge before them.
std::vector<std::string> pciChain(const std::string& realPath);

// The place that stands for the whole card, so that its ports and (as asked) its virtual functions are one: function
// 0 of the device, of the physical function where /sys names it in `physical`. Always a path that exists; NCCL puts
// zeros in without looking (ncclIbGetPciPath, src/transport/net_ib/init.cc, 2.30.7) and can so name no device at all.
std::string cardPath(const SysRoot& root, const std::string& realPath, const std::string& physical, bool mergeVfs);

// "x8 of x16, 16.0 of 32.0 GT/s" when the link runs below what card and slot can; nothing when it does not or is
// unknown.
std::optional<std::string> slowLink(const SysRoot& root, const std::string& realPath);

}  // namespace polyrail::net
