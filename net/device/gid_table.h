// SPDX-License-Identifier: Apache-2.0
// Reads a port's GID table as it is now: by one call of verbs with what /sys adds to the entries in use, where
// library and kernel have that call (rdma-core 32, Linux 5.10); else from /sys or by verbs entry by entry, up to a
// thousand small reads on rxe. Entries that cannot be read are left out, for tables are sparse. For set-up, not for a
// hot path.
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

struct GidPlace {
  std::string device;
  int port;
  LinkLayer link;
};
// By the best of these ways that works. `context` may be null. Any thread.
std::vector<GidEntry> currentGids(const Verbs& verbs, ibv_context* context, const SysRoot& root, const GidPlace& at);

// The user's wish for one port: POLYRAIL_GID_INDEX before NCCL_IB_GID_INDEX.
GidWish wishFor(const DeviceSettings& settings, const std::string& device, int port);

// The choice for a new connection: reads the table again, because indices move when an address comes or goes.
Result<GidChoice> chooseGidNow(const Verbs& verbs, ibv_context* context, const SysRoot& root, const Port& port,
                               const DeviceSettings& settings);

}  // namespace polyrail::net
