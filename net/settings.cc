// SPDX-License-Identifier: Apache-2.0
#include "net/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "net/settings_reader.h"

namespace polyrail::net {
namespace {

GidWish readGidWish(SettingsReader& in) {
  GidWish wish;
  wish.fixedIndex = in.integer("NCCL_IB_GID_INDEX");
  wish.routableFlidIndex = in.integer("NCCL_IB_ROUTABLE_FLID_GID_INDEX");
  wish.roceVersion = in.integer("NCCL_IB_ROCE_VERSION_NUM");
  wish.family = in.text("NCCL_IB_ADDR_FAMILY") == "AF_INET6" ? AddressFamily::kIpv6 : AddressFamily::kIpv4;
  const std::string range = in.text("NCCL_IB_ADDR_RANGE");
  if (!range.empty()) wish.range = in.take("NCCL_IB_ADDR_RANGE", parseAddressRange(range, wish.family));
  return wish;
}

// "mlx5_0,mlx5_1:2;mlx5_2,mlx5_3"
Result<std::vector<std::vector<HcaPattern>>> parseForceMerge(const std::string& text) {
  std::vector<std::vector<HcaPattern>> groups;
  for (const std::string& part : splitList(text, ';')) {
    Result<HcaFilter> group = parseHcaFilter(part);
    if (!group.ok() || group.value().exclude || group.value().exact)
      return Status::error("NCCL_NET_FORCE_MERGE: '" + part + "' is not a list of device[:port]");
    if (!group.value().patterns.empty()) groups.push_back(group.value().patterns);
  }
  return groups;
}

void readGpuDirect(SettingsReader& in, DeviceSettings* d) {
  const std::string way = in.text("POLYRAIL_GPUDIRECT");
  d->dmaBuf = in.flag("NCCL_DMABUF_ENABLE") && (way == "auto" || way == "dmabuf");
  d->peermem = way == "auto" || way == "peermem";
}

DeviceSettings readDevice(SettingsReader& in) {
  DeviceSettings d;
  d.disabled = in.flag("NCCL_IB_DISABLE");
  d.verbsLibrary = in.text("NCCL_IBVERBS_LIB");
  d.hcaText = in.text("NCCL_IB_HCA");
  d.hca = in.takeOrEmpty("NCCL_IB_HCA", parseHcaFilter(d.hcaText));
  d.mergeVfs = in.flag("NCCL_IB_MERGE_VFS");
  d.mergeNics = in.flag("NCCL_IB_MERGE_NICS");
  d.pciOrder = in.flag("NCCL_IB_DEVICE_PCI_ORDER");
  d.queryPortSpeed = in.flag("NCCL_IB_QUERY_PORT_SPEED");
  d.dataDirect = in.integer("NCCL_IB_DATA_DIRECT");
  d.adaptiveRouting = in.integer("NCCL_IB_ADAPTIVE_ROUTING");
  d.relaxedOrdering = in.integer("NCCL_IB_PCI_RELAXED_ORDERING");
  d.subnetPrefixBits = in.integer("NCCL_IB_SUBNET_PREFIX_LEN");
  d.gid = readGidWish(in);
  d.pkey = {in.integer("NCCL_IB_PKEY"), in.integer("NCCL_IB_PKEY_VALUE")};
  d.gidOverrides = in.takeOrEmpty("POLYRAIL_GID_INDEX", parseGidOverrides(in.text("POLYRAIL_GID_INDEX")));
  readGpuDirect(in, &d);
  d.mergeLevel = static_cast<Distance>(in.word("NCCL_NET_MERGE_LEVEL"));
  d.mergeLevelAsked = in.isSet("NCCL_NET_MERGE_LEVEL");
  d.mergeWithinRail = in.text("NCCL_NET_MERGE_POLICY") == "RAIL";
  d.forceMerge = in.takeOrEmpty("NCCL_NET_FORCE_MERGE", parseForceMerge(in.text("NCCL_NET_FORCE_MERGE")));
  return d;
}

ConnectSettings readConnect(SettingsReader& in) {
  ConnectSettings c;
  c.handshakeTimeoutMs = in.integer64("POLYRAIL_HANDSHAKE_TIMEOUT");
  c.policyMismatchIsError = in.text("POLYRAIL_POLICY_MISMATCH") == "error";
  c.socketInterfaces = in.text("NCCL_SOCKET_IFNAME");
  c.socketFamily = in.text("NCCL_SOCKET_FAMILY");
  c.socketRetries = in.integer("NCCL_SOCKET_RETRY_CNT");
  c.socketRetryMs = in.integer64("NCCL_SOCKET_RETRY_SLEEP_MSEC");
  c.receiveBuffer = in.integer64("NCCL_SOCKET_RCVBUF");
  c.sendBuffer = in.integer64("NCCL_SOCKET_SNDBUF");
  c.modifyRetryAll = in.flag("NCCL_IB_MQP_RETRY_ALL");
  c.modifyRetries = in.integer("NCCL_IB_MQP_RETRY_CNT");
  c.modifyRetryMs = in.integer64("NCCL_IB_MQP_RETRY_SLEEP_MSEC");
  c.warnRailLocal = in.flag("NCCL_IB_WARN_RAIL_LOCAL");
  return c;
}

DataSettings readData(SettingsReader& in) {
  DataSettings d;
  d.queuePairsPerPath = in.integer("NCCL_IB_QPS_PER_CONNECTION");
  d.queuePairsAsked = in.isSet("NCCL_IB_QPS_PER_CONNECTION");
  d.timeout = in.integer("NCCL_IB_TIMEOUT");
  d.retryCount = in.integer("NCCL_IB_RETRY_CNT");
  d.serviceLevel = in.integer("NCCL_IB_SL");
  d.trafficClass = in.integer("NCCL_IB_TC");
  d.grantTrafficClass = in.integer("NCCL_IB_FIFO_TC");
  d.useInline = in.flag("NCCL_IB_USE_INLINE");
  d.ece = in.flag("NCCL_IB_ECE_ENABLE");
  d.flush = !in.flag("NCCL_GDR_FLUSH_DISABLE");
  d.fatalEvents = in.flag("NCCL_IB_RETURN_ASYNC_EVENTS");
  if (const int64_t bytes = in.integer64("NCCL_IB_AR_THRESHOLD"); bytes >= 0) d.outOfOrderThreshold = bytes;
  d.failover = in.text("POLYRAIL_FAILOVER") == "on";
  d.standby = in.integer("POLYRAIL_STANDBY");
  d.borrow = in.text("POLYRAIL_BORROW") == "on";
  d.watchdogMs = in.integer64("POLYRAIL_WATCHDOG");
  d.packetLifetimeMs = in.integer64("POLYRAIL_PACKET_LIFETIME");
  d.noPathTimeoutMs = in.integer64("POLYRAIL_NO_PATH_TIMEOUT");
  return d;
}

TelemetrySettings readTelemetry(SettingsReader& in) {
  TelemetrySettings t;
  t.on = in.text("POLYRAIL_TELEMETRY") == "on";
  t.folder = in.text("POLYRAIL_TELEMETRY_DIR");
  t.json = in.text("POLYRAIL_TELEMETRY_JSON");
  t.readers = static_cast<Readers>(in.word("POLYRAIL_TELEMETRY_READERS"));
  return t;
}

// NCCL's that users set and that have no meaning here, with what stands in their place.
struct Foreign {
  const char *name, *instead;
};
constexpr Foreign kForeign[] = {
    {"NCCL_IB_SPLIT_DATA_ON_QPS", "every message is split by measured rate"},
    {"NCCL_IB_SUBNET_AWARE_ROUTING", "rails are always paired by subnet"},
    {"NCCL_IB_OOO_RQ", "receives are not matched by order"},
    {"NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS", "receives are always posted ahead"},
    {"NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME", "immediates name slot and chunk"},
    {"NCCL_IB_RESILIENCY_PORT_FAILOVER", "POLYRAIL_FAILOVER says it"},
    {"NCCL_IB_RESILIENCY_PORT_RECOVERY", "failed rails always come back"},
    {"NCCL_IB_EVENT_BASED_LB", "rails are weighted by measured rate"},
};

}  // namespace

NetSettings readNetSettings() {
  NetSettings s;
  SettingsReader in(&s.problems, &s.honoured);
  s.device = readDevice(in);
  s.connect = readConnect(in);
  s.data = readData(in);
  s.telemetry = readTelemetry(in);
  s.log = in.integer("POLYRAIL_NET_LOG");
  for (const Foreign& f : kForeign)
    if (const char* value = std::getenv(f.name); value && *value)
      s.ignored.push_back(std::string(f.name) + ": " + f.instead);
  return s;
}

PathSettings pathSettings(const DataSettings& settings, int trafficClass) {
  PathSettings path;
  const int fallback = std::clamp(trafficClass, 0, 255);
  path.timeout = static_cast<uint8_t>(settings.timeout);
  path.retryCount = static_cast<uint8_t>(settings.retryCount);
  path.trafficClass = static_cast<uint8_t>(settings.trafficClass >= 0 ? settings.trafficClass : fallback);
  path.serviceLevel = static_cast<uint8_t>(settings.serviceLevel >= 0 ? settings.serviceLevel : fallback & 15);
  path.maxInline = settings.useInline ? 64 : 0;
  path.ece = settings.ece;
  return path;
}

void useForGrants(const DataSettings& settings, LinkLayer link, PathSettings* path) {
  if (link == LinkLayer::kEthernet && settings.grantTrafficClass >= 0)
    path->trafficClass = static_cast<uint8_t>(settings.grantTrafficClass);
}

RepairTimes repairTimes(const DataSettings& settings) {
  constexpr int64_t kMs = 1'000'000;
  return {settings.watchdogMs * kMs, settings.noPathTimeoutMs * kMs, settings.packetLifetimeMs * kMs};
}

}  // namespace polyrail::net
