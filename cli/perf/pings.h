// SPDX-License-Identifier: Apache-2.0
// Round trips of one message: one end sends and waits for the answer, the other answers at once. Receives are posted
// ahead, as NCCL's proxies do, so that a message waits for no grant. One thread an end.
#pragma once

#include <vector>

#include "cli/perf/link.h"
#include "cli/perf/series.h"

namespace polyrail::cli {

// Both ways of a link. References outlive the call.
struct PingEnd {
  const PerfPlugin& plugin;
  Control& control;
  const PerfLink& link;
  Slots& sending;
  Slots& receiving;
  Content content;
  double patience;  // seconds
};

struct Pings {
  std::vector<double> microseconds;  // half of each round trip, in their order; of the end that answers none
  Received received;
};
Result<Pings> ping(const PingEnd& end, uint64_t count);
Result<Pings> answerPings(const PingEnd& end, uint64_t count);

// Of a sorted list the value that `share` of it do not exceed (nearest rank); 0 of none.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace polyrail::cli
