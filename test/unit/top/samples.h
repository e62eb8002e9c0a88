// SPDX-License-Identifier: Apache-2.0
// Samples as tests write them: one process with the rails that are given, at a time in seconds.
#pragma once

#include "cli/top/sample.h"
#include "net/telemetry/names.h"

namespace polyrail::cli::test {

inline RailSample rail(const std::string& name, uint64_t sent = 0, uint64_t received = 0) {
  RailSample r;
  r.name = name, r.bytesSent = sent, r.bytesReceived = received;
  return r;
}

inline ProcessSample process(int pid, std::vector<RailSample> rails, int rank = -1) {
  ProcessSample p;
  p.pid = pid, p.rank = rank, p.startedNs = 1, p.command = "train", p.comms = 2;
  p.rails = std::move(rails);
  return p;
}

inline TopSample at(int64_t seconds, std::vector<ProcessSample> processes) {
  TopSample s;
  s.timeNs = seconds * 1'000'000'000;
  s.processes = std::move(processes);
  return s;
}

inline void take(LatencyHistogram* histogram, int64_t ns, uint64_t times) {
  (*histogram)[net::bucketOf(ns)] += times;
}

}  // namespace polyrail::cli::test
