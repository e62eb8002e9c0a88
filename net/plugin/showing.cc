// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/showing.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "common/sysroot.h"
#include "net/telemetry/json.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

RailRecord recordOf(const Port& port) {
  RailRecord r{};
  putText(r.name, port.name());
  putText(r.netdev, port.netdev);
  putText(r.pci, port.pciAddress);
  std::copy(port.gid.gid.begin(), port.gid.gid.end(), r.gid);
  r.gidIndex = static_cast<uint32_t>(port.gid.index);
  r.mtuBytes = port.mtu ? 128u << port.mtu : 0;  // ibv_mtu: 1 is 256
  r.speedMbps = port.speedMbps;
  r.ethernet = port.link == LinkLayer::kEthernet;
  r.state = RailState::kUp;
  return r;
}

int64_t wallNs() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

TelemetryHeader headerOf(const Greeting& greeting, int64_t now) {
  const SysRoot root = SysRoot::live();
  TelemetryHeader h{};
  h.magic = kTelemetryMagic;
  h.version = kTelemetryVersion;
  h.headerBytes = sizeof h;
  h.railRecords = kRailRecords, h.commRecords = kCommRecords, h.pathRecords = kPathRecords;
  h.railBytes = sizeof(RailRecord), h.commBytes = sizeof(CommRecord), h.pathBytes = sizeof(PathRecord);
  h.railOffset = kRailOffset, h.commOffset = kCommOffset, h.pathOffset = kPathOffset;
  h.fileBytes = kTelemetryBytes;
  h.process = static_cast<uint32_t>(getpid());
  h.rank = kNoRank;
  h.startWall = wallNs();
  h.startTime = h.updatedTime = now;
  putText(h.host, greeting.host);
  putText(h.boot, root.read("/proc/sys/kernel/random/boot_id").value_or(""));
  putText(h.command, root.read("/proc/self/comm").value_or(""));
  putText(h.release, POLYRAIL_VERSION);
  return h;
}

}  // namespace

std::unique_ptr<Board> makeBoard(const TelemetrySettings& settings, const std::vector<Port>& ports,
                                 const Greeting& greeting, const Log& log, int64_t now) {
  if (!settings.on) return nullptr;
  const TelemetryHeader header = headerOf(greeting, now);
  Result<std::unique_ptr<MappedFile>> file = MappedFile::create(settings.folder, settings.readers, header);
  if (!file.ok())
    log.info("no telemetry file: %s; `polyrail top` does not see this process (POLYRAIL_TELEMETRY_DIR)",
             file.message().c_str());
  std::vector<RailRecord> rails;
  std::transform(ports.begin(), ports.end(), std::back_inserter(rails), recordOf);
  return std::make_unique<Board>(file.ok() ? std::move(file).value() : nullptr, header, std::move(rails));
}

void endBoard(Board& board, const TelemetrySettings& settings, const Log& log) {
  board.end();
  if (settings.json.empty()) return;
  const TelemetryHeader header = board.header();
  const std::string name = expandName(settings.json, header);
  if (const Status s = writeFile(name, telemetryJson(header, board.rails())); !s.ok())
    log.info("no telemetry JSON: %s (POLYRAIL_TELEMETRY_JSON)", s.message().c_str());
}

}  // namespace polyrail::net
