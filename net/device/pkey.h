// SPDX-License-Identifier: Apache-2.0
// Which entry of a port's table of partition keys its queue pairs use. Subnet managers fill these tables as they
// like, so one index means different partitions on different nodes; a value means the same everywhere. Plain values;
// any thread. The tables are for set-up, not for a hot path: one small read an entry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/status.h"
#include "common/sysroot.h"
#include "net/device/gid.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

struct PkeyEntry {
  int index = 0;
  uint16_t value = 0;  // the highest bit: full membership (IBTA 1.6, 10.9.3); the others name the partition
  bool operator==(const PkeyEntry&) const = default;
};

struct PkeyWish {  // defaults are NCCL's
  int index = 0;   // NCCL_IB_PKEY
  int value = -1;  // NCCL_IB_PKEY_VALUE, which wins where it is set; -1: not set
};

struct PkeyChoice {
  uint16_t index = 0;
  uint16_t value = 0;  // 0: the table could not be read
};

// Entries in use, by index. From /sys/class/infiniband/DEVICE/ports/N/pkeys; empty when there is no such folder.
std::vector<PkeyEntry> readPkeyTable(const SysRoot& root, const std::string& device, int port);
// From verbs, at most `length` entries (ibv_port_attr::pkey_tbl_len).
std::vector<PkeyEntry> queryPkeyTable(const Verbs& verbs, ibv_context* context, uint8_t port, int length);

// By value: the partition is what counts, full membership goes before limited, the lowest index first. Without the
// table (empty) an index is taken as it is, a value is an error. The error is one clause that shows the table; the
// remedy is in pkeyRemedy.
Result<PkeyChoice> choosePkey(const std::vector<PkeyEntry>& table, const PkeyWish& wish);
std::string text(const PkeyChoice& choice);  // "0x8005 at index 1"
std::string pkeyRemedy(LinkLayer link, const PkeyWish& wish);

}  // namespace polyrail::net
