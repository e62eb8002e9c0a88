// SPDX-License-Identifier: Apache-2.0
// A local rail as a comm uses it, and the settings of its queue pairs: plain values that whoever opens the devices
// fills in. The context and the PD are borrowed and outlive the comm.
#pragma once

#include <cstdint>

#include "net/device/gid.h"
#include "net/device/ledger.h"
#include "net/path/rail_health.h"
#include "net/path/rail_use.h"
#include "net/path/slaves.h"
#include "net/verbs/verbs.h"
#include "net/wire/message.h"

namespace polyrail::net {

struct LocalRail {
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  uint8_t port = 1;
  uint8_t gidIndex = 0;
  uint16_t pkeyIndex = 0;
  uint32_t maxMessage = 1u << 31;      // ibv_port_attr::max_msg_sz
  Ledger* queuePairs = nullptr;        // borrowed; null: nobody counts
  const RailHealth* health = nullptr;  // borrowed; null: no events are heard
  RailUse* use = nullptr;              // borrowed; null: the comm knows of itself only
  Placement placement;                 // on the cables of a bond
  RailInfo info;                       // what the handshake says of it: GID, LID, MTU, speed, link layer, name
};

// Defaults are NCCL's (facts of src/transport/net_ib/connect.cc, 2.30.7).
struct PathSettings {
  uint8_t timeout = 20;    // NCCL_IB_TIMEOUT: 4.096 us x 2^timeout
  uint8_t retryCount = 7;  // NCCL_IB_RETRY_CNT
  uint8_t serviceLevel = 0;
  uint8_t trafficClass = 0;
  uint32_t maxInline = 0;  // bytes; NCCL_IB_USE_INLINE
  bool ece = true;         // NCCL_IB_ECE_ENABLE
};

// Nanoseconds; the defaults of the settings that say them.
struct RepairTimes {
  int64_t watchdog = 1'000'000'000;        // POLYRAIL_WATCHDOG
  int64_t noPath = 30'000'000'000;         // POLYRAIL_NO_PATH_TIMEOUT
  int64_t packetLifetime = 2'000'000'000;  // POLYRAIL_PACKET_LIFETIME
};

}  // namespace polyrail::net
