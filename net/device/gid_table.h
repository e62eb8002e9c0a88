// SPDX-License-Identifier: Apache-2.0
// Reads a port's GID table as it is now: from /sys, which also tells type and interface, else from verbs. Entries
// that cannot be read are left out, for tables are sparse. Costs a few hundred small reads: for set-up, not for a hot
// path.
#pragma once

#include <string>
#include <vector>

#include "common/sysroot.h"
#include "net/device/gid.h"
#include "net/device/port.h"
#include "net/settings.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

// From /sys/class/infiniband/DEVICE/ports/N; empty when there is no such folder. Any thread.
std::vector<GidEntry> readGidTable(const SysRoot& root, const std::string& device, int port, LinkLayer link);
// From verbs, at most `length` entries (ibv_port_attr::gid_tbl_len); types are unknown to old libraries. Any thread.
std::vector<GidEntry> queryGidTable(const Verbs& verbs, ibv_context* context, uint8_t port, int length);

// The user's wish for one port: POLYRAIL_GID_INDEX before NCCL_IB_GID_INDEX.
GidWish wishFor(const DeviceSettings& settings, const std::string& device, int port);

// The choice for a new connection: reads the table again, because indices move when an address comes or goes.
Result<GidChoice> chooseGidNow(const Verbs& verbs, ibv_context* context, const SysRoot& root, const Port& port,
                               const DeviceSettings& settings);

}  // namespace polyrail::net
