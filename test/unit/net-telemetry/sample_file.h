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
    header = {.sequence = 2,
              .magic = kTelemetryMagic,
              .version = kTelemetryVersion,
              .headerBytes = sizeof header,
              .railRecords = kRailRecords,
              .commRecords = kCommRecords,
              .pathRecords = kPathRecords,
              .railBytes = sizeof(RailRecord),
              .commBytes = sizeof(CommRecord),
              .pathBytes = sizeof(PathRecord),
              .railOffset = kRailOffset,
              .commOffset = kCommOffset,
              .pathOffset = kPathOffset,
              .fileBytes = kTelemetryBytes,
              .process = 4711,
              .rank = 3,
              .railsUsed = 2,
              .commsUsed = 1,
              .pathsUsed = 2};
    putText(header.host, "node1");
    comm = {.sequence = 4, .id = 7, .state = CommState::kOpen, .kind = CommKind::kSend, .rails = 2, .paths = 2};
    for (uint32_t i = 0; i < 2; i++) {
      rails.push_back({.sequence = 2, .state = RailState::kUp, .bytesSent = 100 + i});
      putText(rails.back().name, "emu" + std::to_string(i) + ":1");
      paths.push_back({.sequence = 2, .comm = 7, .index = i, .phase = PathPhase::kLive, .rail = i, .bytes = 100 + i});
    }
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
