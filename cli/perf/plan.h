// SPDX-License-Identifier: Apache-2.0
// What `polyrail perf` is to measure: every size on every set of rails with every number of messages in flight. The
// client makes it from its options and sends it to the other end, which believes nothing that checkPlan() has not
// seen. A plain value.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::cli {

enum class Verify {
  kApart,  // a pass before the timed one compares every byte; the timed one a number in each message and the last
           // ones
  kEvery,  // every byte of every message, and the time that takes counts
};

struct PerfPlan {
  std::vector<uint64_t> sizes;     // bytes
  std::vector<std::string> rails;  // each "all", a number (the first so many) or names or #numbers joined by '+'
  std::vector<int> inFlight;       // 1..32, NCCL_NET_MAX_REQUESTS
  uint64_t messages = 0;           // for each measurement of bandwidth; 0: for `seconds`
  double seconds = 1;
  uint64_t pings = 1000;  // round trips for each measurement of latency
  bool bandwidth = true, latency = true;
  Verify verify = Verify::kApart;
  bool gpu = false;      // GPU memory at both ends
  double patience = 30;  // seconds in which nothing moves that end a run
};

// Latency is measured up to this size: beyond it is bandwidth that shows.
inline constexpr uint64_t kLargestPing = 64 << 10;

// The error says which value is out of its range.
Status checkPlan(const PerfPlan& plan);

nlohmann::ordered_json planJson(const PerfPlan& plan);
// From the other end: checked.
Result<PerfPlan> planFrom(const nlohmann::ordered_json& json);

// "8,64K,1M-64M": sizes as parseBytes() reads them; a range doubles from its first to its last.
Result<std::vector<uint64_t>> parseSizes(const std::string& text);

}  // namespace polyrail::cli
