// SPDX-License-Identifier: Apache-2.0
// A telemetry file made by hand, as a process of this version would have it: two rails, one comm with two paths.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "net/telemetry/names.h"

namespace polyrail::net {

struct SampleFile {
  TelemetryHeader header{};
  std::vector<RailRecord> rails;
  CommRecord comm{};
  std::vector<PathRecord> paths;

  SampleFile() {
    fillHeader();
    comm.sequence = 4;
    comm.id = 7;
    comm.state = CommState::kOpen;
    comm.rails = comm.paths = 2;
    for (uint32_t i = 0; i < 2; i++) addRail(i), addPath(i);
  }

  void fillHeader() {
    TelemetryHeader& h = header;
    h.sequence = 2;
    h.magic = kTelemetryMagic;
    h.version = kTelemetryVersion;
    h.headerBytes = sizeof h;
    h.railRecords = kRailRecords, h.commRecords = kCommRecords, h.pathRecords = kPathRecords;
    h.railBytes = sizeof(RailRecord), h.commBytes = sizeof(CommRecord), h.pathBytes = sizeof(PathRecord);
    h.railOffset = kRailOffset, h.commOffset = kCommOffset, h.pathOffset = kPathOffset;
    h.fileBytes = kTelemetryBytes;
    h.process = 4711;
    h.rank = 3;
    h.railsUsed = 2, h.commsUsed = 1, h.pathsUsed = 2;
    putText(h.host, "node1");
  }
  void addRail(uint32_t i) {
    RailRecord& r = rails.emplace_back();
    r.sequence = 2;
    r.state = RailState::kUp;
    r.bytesSent = 100 + i;
    putText(r.name, "emu" + std::to_string(i) + ":1");
  }
  void addPath(uint32_t i) {
    PathRecord& p = paths.emplace_back();
    p.sequence = 2;
    p.comm = 7;
    p.index = p.rail = i;
    p.phase = PathPhase::kLive;
    p.bytes = 100 + i;
  }

  std::string bytes() const {
    std::string all(kTelemetryBytes, '\0');
    std::memcpy(all.data(), &header, sizeof header);
    std::memcpy(all.data() + kRailOffset, rails.data(), rails.size() * sizeof(RailRecord));
    std::memcpy(all.data() + kCommOffset, &comm, sizeof comm);
    std::memcpy(all.data() + kPathOffset, paths.data(), paths.size() * sizeof(PathRecord));
    return all;
  }
};

}  // namespace polyrail::net
