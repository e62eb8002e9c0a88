// SPDX-License-Identifier: Apache-2.0
// A stream of messages of one size over a comm, a set number of them in flight, called as NCCL's proxies call: isend
// again while it gives no request, test of the oldest. The sender alone decides how many there are: it ends with as
// many short messages, the marks, as the receiver has receives posted. One thread an end.
#pragma once

#include "cli/perf/patience.h"
#include "cli/perf/slots.h"

namespace polyrail::cli {

// One end of a comm. References outlive the call.
struct SeriesEnd {
  const PerfPlugin& plugin;
  Control& control;
  Slots& slots;  // as many as are in flight
  void* comm;
  Content content;
  double patience;  // seconds
};

// The series is over after `messages`, or, where that is 0, after `seconds`; earlier where stopAsked().
struct SeriesLength {
  uint64_t messages;
  double seconds;
};

struct Sent {
  uint64_t messages = 0;
  double seconds = 0;  // from the first isend to the last message's completion
};
Result<Sent> sendSeries(const SeriesEnd& end, const SeriesLength& length);

struct Received {
  uint64_t messages = 0;
  uint64_t wrong = 0;      // messages of which a byte or the size was not what was sent
  std::string firstWrong;  // a sentence about the first of them
  void add(const Received& more);
};
Result<Received> receiveSeries(const SeriesEnd& end);

// Bytes of the mark that ends a series of messages of `size` bytes.
inline size_t markOf(size_t size) { return size == 0 ? 1 : 0; }

}  // namespace polyrail::cli
