// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/units.h"
#include "common/nccl/net_types.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLargest = 1u << 31;  // test() reports int sizes (net_abi.h)
constexpr uint64_t kMostMemory = uint64_t{64} << 30;
constexpr uint64_t kMostMessages = 1'000'000'000;
constexpr size_t kMostPoints = 10'000;

Status wrong(const char* what, const std::string& range) { return Status::error(fmt::format("{}: {}", what, range)); }

Status checkMemory(const PerfPlan& plan) {
  const uint64_t size = *std::max_element(plan.sizes.begin(), plan.sizes.end());
  const int deep = *std::max_element(plan.inFlight.begin(), plan.inFlight.end());
  if (size * static_cast<uint64_t>(deep) <= kMostMemory) return {};
  return wrong("sizes", fmt::format("{} in flight of {} are more than 64 GiB", deep, humanBytes(size)));
}

Result<std::vector<uint64_t>> parseRange(const std::string& text) {
  const size_t dash = text.find('-');
  uint64_t from = 0, to = 0;
  if (!parseBytes(text.substr(0, dash), &from)) return Status::error(fmt::format("'{}' is no size", text));
  if (dash == text.npos) return std::vector<uint64_t>{from};
  if (!parseBytes(text.substr(dash + 1), &to) || from == 0 || from > to)
    return Status::error(fmt::format("'{}' is no range of sizes", text));
  std::vector<uint64_t> sizes;
  for (uint64_t size = from; size <= to && size <= kLargest; size *= 2) sizes.push_back(size);
  return sizes;
}

}  // namespace

Status checkPlan(const PerfPlan& plan) {
  if (plan.sizes.empty() || plan.rails.empty() || plan.inFlight.empty()) return wrong("plan", "nothing to measure");
  if (plan.sizes.size() * plan.rails.size() * plan.inFlight.size() > kMostPoints)
    return wrong("plan", "more than 10000 measurements");
  for (const uint64_t size : plan.sizes)
    if (size >= kLargest) return wrong("sizes", "a message may have less than 2 GiB");
  for (const int n : plan.inFlight)
    if (n < 1 || n > nccl::kNetMaxRequests) return wrong("in flight", "1 to 32, as NCCL has");
  if (plan.messages > kMostMessages) return wrong("messages", "at most 1000000000");
  if (plan.pings < 1 || plan.pings > kMostMessages) return wrong("pings", "1 to 1000000000");
  if (!(plan.seconds > 0 && plan.seconds <= 86400)) return wrong("seconds", "more than 0, at most 86400");
  if (!(plan.patience >= 0.1 && plan.patience <= 3600)) return wrong("patience", "0.1 to 3600 seconds");
  return checkMemory(plan);
}

Json planJson(const PerfPlan& p) {
  return {{"sizes", p.sizes},
          {"rails", p.rails},
          {"in_flight", p.inFlight},
          {"messages", p.messages},
          {"seconds", p.seconds},
          {"pings", p.pings},
          {"bandwidth", p.bandwidth},
          {"latency", p.latency},
          {"verify_every", p.verify == Verify::kEvery},
          {"gpu", p.gpu},
          {"patience", p.patience}};
}

Result<PerfPlan> planFrom(const Json& json) {
  PerfPlan p;
  try {
    json.at("sizes").get_to(p.sizes);
    json.at("rails").get_to(p.rails);
    json.at("in_flight").get_to(p.inFlight);
    json.at("messages").get_to(p.messages);
    json.at("seconds").get_to(p.seconds);
    json.at("pings").get_to(p.pings);
    json.at("bandwidth").get_to(p.bandwidth);
    json.at("latency").get_to(p.latency);
    p.verify = json.at("verify_every").get<bool>() ? Verify::kEvery : Verify::kApart;
    json.at("gpu").get_to(p.gpu);
    json.at("patience").get_to(p.patience);
  } catch (const Json::exception&) {
    return Status::error("the other end's plan is not one that this version understands");
  }
  if (const Status s = checkPlan(p); !s.ok()) return s;
  return p;
}

Result<std::vector<uint64_t>> parseSizes(const std::string& text) {
  std::vector<uint64_t> sizes;
  for (size_t at = 0, end = 0; end != text.npos; at = end + 1) {
    end = text.find(',', at);
    const Result<std::vector<uint64_t>> range = parseRange(text.substr(at, end - at));
    if (!range.ok()) return range;
    sizes.insert(sizes.end(), range.value().begin(), range.value().end());
  }
  return sizes;
}

}  // namespace polyrail::cli
