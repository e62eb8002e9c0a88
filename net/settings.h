// SPDX-License-Identifier: Apache-2.0
// What the user's environment asks of the net plugin, read once at init into a plain value: nothing below reads the
// environment again. Each variable is a row of common/settings_table.cc, with its range and meaning; names here say
// what the row says. Copy it freely; safe from any thread as a const object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/device/gid.h"
#include "net/device/hca_filter.h"
#include "net/device/pkey.h"
#include "net/path/local_rail.h"
#include "net/telemetry/mapped_file.h"

namespace polyrail::net {

// How far apart two NICs are on this node, as NCCL counts it (src/graph/topo.h, 2.30.7); smaller is closer.
enum class Distance : uint8_t { kSelf, kPort, kPix, kPxb, kP2c, kPxn, kPhb, kSys };

struct GidOverride {  // POLYRAIL_GID_INDEX, one entry
  std::string device;
  int port = -1;             // -1: all of the device
  std::optional<int> index;  // nothing: chosen automatically, whatever NCCL_IB_GID_INDEX says
};

struct DeviceSettings {
  bool disabled = false;
  std::string verbsLibrary;  // empty: libibverbs.so.1
  HcaFilter hca;
  std::string hcaText;  // as it was written, for messages
  bool mergeVfs = true, mergeNics = true, pciOrder = true, queryPortSpeed = true;
  int dataDirect = 1;        // 0 no, 1 in place of the usual interface, 2 both
  int adaptiveRouting = -2;  // -2: on InfiniBand only
  int relaxedOrdering = 2;   // 0 no, 1 yes, 2 where possible
  GidWish gid;
  std::vector<GidOverride> gidOverrides;
  PkeyWish pkey;
  int subnetPrefixBits = 24;
  bool dmaBuf = true, peermem = true;  // NCCL_DMABUF_ENABLE, POLYRAIL_GPUDIRECT
  Distance mergeLevel = Distance::kPort;
  bool mergeLevelAsked = false;                     // it was set, and is not just the default
  bool mergeWithinRail = false;                     // NCCL_NET_MERGE_POLICY=RAIL
  std::vector<std::vector<HcaPattern>> forceMerge;  // whole names, each perhaps with a port
};

struct ConnectSettings {
  int64_t handshakeTimeoutMs = 30'000;
  bool policyMismatchIsError = true;
  std::string socketInterfaces;  // NCCL_SOCKET_IFNAME as written
  std::string socketFamily;      // "", "AF_INET" or "AF_INET6"
  int socketRetries = 34;
  int64_t socketRetryMs = 100, receiveBuffer = -1, sendBuffer = -1;
  bool modifyRetryAll = false;
  int modifyRetries = 34;
  int64_t modifyRetryMs = 100;
  bool warnRailLocal = false;
};

struct DataSettings {
  int queuePairsPerPath = 1;     // NCCL_IB_QPS_PER_CONNECTION
  bool queuePairsAsked = false;  // it was set, and is not just the default
  int timeout = 20, retryCount = 7;
  int serviceLevel = -1, trafficClass = -1, grantTrafficClass = -1;  // -1: not set
  bool useInline = false, ece = true, flush = true, fatalEvents = true;
  int64_t outOfOrderThreshold = 8192;  // NCCL_IB_AR_THRESHOLD
  bool failover = true;
  int standby = 7;     // POLYRAIL_STANDBY
  bool borrow = true;  // POLYRAIL_BORROW
  int64_t watchdogMs = 1000, packetLifetimeMs = 2000, noPathTimeoutMs = 30'000;
};

struct TelemetrySettings {
  bool on = true;
  std::string folder = "/dev/shm", json;  // json: empty: none
  Readers readers = Readers::kUser;
};

struct NetSettings {
  DeviceSettings device;
  ConnectSettings connect;
  DataSettings data;
  TelemetrySettings telemetry;
  int log = 1;                        // POLYRAIL_NET_LOG
  std::vector<std::string> honoured;  // "NCCL_IB_HCA=mlx5_0": variables that are set and in force
  std::vector<std::string> ignored;   // NCCL's that are set and mean nothing here, with the reason
  std::vector<std::string> problems;  // one sentence for each value that was refused; its default is in force
};

// Reads getenv; call it at init, when nobody calls setenv. Cannot fail: a bad value leaves a problem and the default.
NetSettings readNetSettings();

// What a connection's queue pairs get; `trafficClass` is the communicator's, -1 when it has none. The user's own
// NCCL_IB_TC and NCCL_IB_SL come before it.
PathSettings pathSettings(const DataSettings& settings, int trafficClass);
RepairTimes repairTimes(const DataSettings& settings);

// The same for a receiver, whose queue pairs send grants and acknowledgements and no data: on Ethernet
// NCCL_IB_FIFO_TC is theirs.
void useForGrants(const DataSettings& settings, LinkLayer link, PathSettings* path);

}  // namespace polyrail::net
