// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/perf/stop.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kPingsApart = 50;
constexpr double kMoreThanTheOther = 5;  // seconds

class Client {
 public:
  // What is measured goes to `results` at once: what comes later may fail.
  Client(PerfEnd& end, const std::function<void(size_t, size_t)>& progress, std::vector<PerfResult>& results)
      : end_(end), progress_(progress), results_(results) {}

  Status run() {
    if (Status s = measureAll(); !s.ok()) return s;
    return end_.control().send({{"do", "bye"}});
  }

 private:
  size_t all() const { return end_.plan().rails.size() * end_.plan().sizes.size() * end_.plan().inFlight.size(); }

  Status measureAll() {
    const PerfPlan& plan = end_.plan();
    for (const std::string& rails : plan.rails) {
      if (const Status s = open(rails); !s.ok()) return s;
      for (const uint64_t size : plan.sizes)
        if (const Status s = measureSize(rails, size); !s.ok() || stopAsked()) return s;
    }
    return {};
  }

  Status open(const std::string& rails) {
    if (Status s = end_.control().send({{"do", "open"}, {"rails", rails}}); !s.ok()) return s;
    return end_.open(rails);
  }

  // Latency has one message in flight: it is measured once, with the first number of them.
  Status measureSize(const std::string& rails, uint64_t size) {
    const PerfPlan& plan = end_.plan();
    for (const int inFlight : plan.inFlight) {
      PerfResult result = begin(rails, size, inFlight);
      if (plan.bandwidth)
        if (Status s = bandwidth(result); !s.ok()) return s;
      if (plan.latency && size <= kLargestPing && inFlight == plan.inFlight.front())
        if (Status s = latency(result); !s.ok()) return s;
      results_.push_back(std::move(result));
      if (progress_) progress_(results_.size(), all());
      if (stopAsked()) return {};
    }
    return {};
  }

  PerfResult begin(const std::string& rails, uint64_t size, int inFlight) const {
    PerfResult r;
    r.rails = rails, r.size = size, r.inFlight = inFlight;
    r.device = end_.link().device().name, r.peerDevice = end_.link().peerDevice();
    r.railCount = end_.link().device().rails;
    return r;
  }

  Status order(const char* what, const PerfResult& r) {
    if (Status s = end_.control().send({{"do", what}, {"size", r.size}, {"in_flight", r.inFlight}}); !s.ok())
      return s;
    const Result<Json> ready = answer();
    return ready.ok() ? Status() : ready.status();
  }

  // The other end loses its patience first and says what was missing.
  Result<Json> answer() { return end_.control().receive(end_.plan().patience + kMoreThanTheOther); }

  Status takeReport(PerfResult& r) {
    const Result<Json> report = answer();
    if (!report.ok()) return report.status();
    const Json& j = report.value();
    r.checked.add(
        {j.at("messages").get<uint64_t>(), j.at("wrong").get<uint64_t>(), j.at("first_wrong").get<std::string>()});
    return {};
  }

  Status bandwidth(PerfResult& r) {
    void* comm = end_.link().send();
    const Result<std::unique_ptr<Slots>> slots = end_.slots(comm, r.size, r.inFlight);
    if (!slots.ok()) return slots.status();
    r.memory = slots.value()->way();
    if (Status s = order("bandwidth", r); !s.ok()) return s;
    for (const Content content : passes(end_.plan().verify)) {
      const Result<Sent> sent =
          sendSeries(end_.seriesEnd(*slots.value(), comm, content), lengthOf(end_.plan(), r.inFlight, content));
      if (!sent.ok()) return sent.status();
      r.messages = sent.value().messages, r.seconds = sent.value().seconds;
    }
    return takeReport(r);
  }

  Status latency(PerfResult& r) {
    const Result<PerfEnd::PingSlots> slots = end_.pingSlots(r.size);
    if (!slots.ok()) return slots.status();
    r.memory = slots.value().sending->way();
    if (Status s = order("latency", r); !s.ok()) return s;
    for (const Content content : passes(end_.plan().verify)) {
      Result<Pings> pings = ping(end_.pingEnd(slots.value(), content), pingsOf(end_.plan(), content));
      if (!pings.ok()) return pings.status();
      r.checked.add(pings.value().received);
      r.sorted = std::move(pings.value().microseconds);
    }
    std::sort(r.sorted.begin(), r.sorted.end());
    return takeReport(r);
  }

  PerfEnd& end_;
  const std::function<void(size_t, size_t)>& progress_;
  std::vector<PerfResult>& results_;
};

Status measureInto(PerfReport& report, Control& control, const PerfPlan& plan, const EndOptions& options,
                   const std::function<void(size_t, size_t)>& progress) {
  const StopSignals signals;
  const Result<std::unique_ptr<PerfEnd>> end = PerfEnd::make(control, plan, options);
  if (!end.ok()) return end.status();
  report.plugin = end.value()->plugin().calls().name;
  if (Status s = control.send({{kPerfHello, kPerfVersion}, {"plan", planJson(plan)}}); !s.ok()) return s;
  const Result<Json> hello = control.receive(plan.patience);
  if (!hello.ok()) return hello.status();
  report.peerPlugin = hello.value().at("plugin").get<std::string>();
  return Client(*end.value(), progress, report.results).run();
}

}  // namespace

double PerfResult::bytesPerSecond() const {
  return seconds > 0 ? static_cast<double>(messages) * static_cast<double>(size) / seconds : 0;
}

bool PerfReport::clean() const {
  return std::all_of(results.begin(), results.end(), [](const PerfResult& r) { return r.checked.wrong == 0; });
}

PerfReport measure(Control& control, const PerfPlan& plan, const EndOptions& options,
                   const std::function<void(size_t, size_t)>& progress) {
  PerfReport report;
  Status status;
  try {
    status = measureInto(report, control, plan, options, progress);
  } catch (const Json::exception&) {  // a member that is not there or of another type than asked for
    status = Status::error("what came is not what a polyrail perf of this version sends");
  }
  if (!status.ok()) report.error = control.giveUp(status).message();
  return report;
}

std::vector<Content> passes(Verify verify) {
  if (verify == Verify::kEvery) return {Content::kFresh};
  return {Content::kFresh, Content::kStamped};
}

uint64_t pingsOf(const PerfPlan& plan, Content content) {
  return plan.verify == Verify::kApart && content == Content::kFresh ? std::min(plan.pings, kPingsApart) : plan.pings;
}

SeriesLength lengthOf(const PerfPlan& plan, int inFlight, Content content) {
  if (plan.verify == Verify::kApart && content == Content::kFresh) return {2 * static_cast<uint64_t>(inFlight), 0};
  return {plan.messages, plan.seconds};
}

}  // namespace polyrail::cli
