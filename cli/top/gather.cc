// SPDX-License-Identifier: Apache-2.0
#include "cli/top/gather.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "net/telemetry/names.h"

namespace polyrail::cli {
namespace {

using net::textIn;

RailCondition conditionOf(const net::RailRecord& r) {
  if (r.state == net::RailState::kLost) return RailCondition::kLost;
  if (r.state == net::RailState::kDown) return RailCondition::kDown;
  if (r.livePaths >= r.paths) return RailCondition::kUp;
  return r.livePaths == 0 ? RailCondition::kFailed : RailCondition::kRepairing;
}

RailSample railOf(const net::RailRecord& r) {
  return {.name = textIn(r.name),
          .condition = conditionOf(r),
          .slow = r.slow != 0,
          .bytesSent = r.bytesSent,
          .bytesReceived = r.bytesReceived,
          .chunksSent = r.chunksSent,
          .chunksReceived = r.chunksReceived,
          .serviceRate = r.serviceRate,
          .failures = r.failures,
          .revivals = r.revivals,
          .stuck = r.stuck,
          .portDowns = r.portDowns,
          .lastCause = textIn(r.lastCause),
          .lastFailureNs = r.lastFailure,
          .latency = r.latency};
}

PathSample pathOf(const net::PathRecord& p, const net::Snapshot& s) {
  const auto comm = std::find_if(s.comms.begin(), s.comms.end(), [&](const auto& c) { return c.id == p.comm; });
  const bool known = comm != s.comms.end();
  return {.comm = p.comm,
          .index = p.index,
          .sends = known && comm->kind == net::CommKind::kSend,
          .phase = net::nameOf(p.phase),
          .peer = known ? textIn(comm->peerHost) : "",
          .rail = p.rail < s.rails.size() ? textIn(s.rails[p.rail].name) : "",
          .peerRail = textIn(p.peerRail),
          .bytes = p.bytes,
          .rate = p.rate,
          .inFlight = p.inFlight,
          .failures = p.failures,
          .revivals = p.revivals,
          .lastCause = textIn(p.lastCause),
          .latency = p.latency};
}

// A process that ended well takes its file away, also between two looks at the folder.
bool isGone(const std::string& file) { return access(file.c_str(), F_OK) != 0 && errno == ENOENT; }

bool isOthers(const std::string& file) { return access(file.c_str(), R_OK) != 0 && errno == EACCES; }

std::string refusal(const std::string& file, const std::string& why) {
  return isOthers(file) ? why + "; its job says who may read it (POLYRAIL_TELEMETRY_READERS)" : why;
}

void take(const std::string& file, TopSample& sample) {
  const Result<net::TelemetryReader> reader = net::TelemetryReader::open(file);
  const Result<net::Snapshot> snapshot = reader.ok() ? reader.value().read() : Result<net::Snapshot>(reader.status());
  if (!snapshot.ok()) {
    if (!isGone(file)) sample.unreadable.push_back(refusal(file, snapshot.message()));
  } else if (!snapshot.value().alive) {
    sample.ended.push_back(file);
  } else {
    sample.processes.push_back(processOf(snapshot.value(), file));
  }
}

}  // namespace

ProcessSample processOf(const net::Snapshot& s, const std::string& file) {
  ProcessSample process;
  process.pid = static_cast<int>(s.header.process), process.rank = s.header.rank;
  process.startedNs = s.header.startTime;
  process.command = textIn(s.header.command), process.file = file;
  process.comms = static_cast<unsigned>(std::count_if(
      s.comms.begin(), s.comms.end(), [](const net::CommRecord& c) { return c.state == net::CommState::kOpen; }));
  for (const net::RailRecord& r : s.rails)
    if (r.state != net::RailState::kUnused) process.rails.push_back(railOf(r));
  for (const net::PathRecord& p : s.paths) process.paths.push_back(pathOf(p, s));
  return process;
}

TopSample gatherSample(const std::string& folder, int64_t nowNs) {
  TopSample sample;
  sample.timeNs = nowNs;
  for (const std::string& file : net::telemetryFiles(folder)) take(file, sample);
  return sample;
}

}  // namespace polyrail::cli
