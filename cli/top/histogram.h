// SPDX-License-Identifier: Apache-2.0
// What a reader does with the counters and latency histograms of the telemetry (net/telemetry/layout.h): add those of
// several processes, take the part of an interval, estimate. Stateless.
#pragma once

#include "net/telemetry/layout.h"

namespace polyrail::cli {

using net::LatencyHistogram;

uint64_t totalOf(const LatencyHistogram& histogram);
void add(const LatencyHistogram& more, LatencyHistogram* sum);
// What came since `before`; 0 for a count that went back, as in a file that was written anew.
inline uint64_t since(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }
LatencyHistogram since(const LatencyHistogram& now, const LatencyHistogram& before);
// Of all times, in seconds, each taken as the middle of its bucket: at most a third off.
double estimatedSum(const LatencyHistogram& histogram);

}  // namespace polyrail::cli
