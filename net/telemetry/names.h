// SPDX-License-Identifier: Apache-2.0
// The words for what the layout has numbers for, one each in every place that shows them: log, JSON, `polyrail top`.
// What is no value of ours, as a file of somebody else may say, is "?". Any thread.
#pragma once

#include <string>

#include "net/telemetry/layout.h"

namespace polyrail::net {

const char* nameOf(RailState state);
const char* nameOf(CommState state);
const char* nameOf(CommKind kind);
const char* nameOf(PathPhase phase);
const char* nameOf(EventKind kind);

// A text field up to its end or its first NUL; what is not printable ASCII is '?', for it may go to a terminal.
std::string textIn(const char* field, size_t bytes);
template <size_t bytes>
std::string textIn(const char (&field)[bytes]) {
  return textIn(field, bytes);
}
// The other way: cut to fit, NUL at the end, zeros behind it.
void putText(char* field, size_t bytes, const std::string& text);
template <size_t bytes>
void putText(char (&field)[bytes], const std::string& text) {
  putText(field, bytes, text);
}

// Of a latency in ns; negative ones are of bucket 0, longer ones than there are buckets for of the last.
unsigned bucketOf(int64_t ns);
// The upper bound in ns of the bucket below which that share (0 to 1) of all latencies lie; 0 when there are none.
int64_t quantile(const LatencyHistogram& histogram, double share);

}  // namespace polyrail::net
