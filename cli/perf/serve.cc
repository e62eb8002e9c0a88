// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/serve.h"

#include <fmt/format.h>

#include "cli/perf/measure.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kHello = 10;  // seconds in which a client must have said what it wants

Result<PerfPlan> readHello(Control& control) {
  const Result<Json> hello = control.receive(kHello);
  if (!hello.ok()) return hello.status();
  if (const int theirs = hello.value().value(kPerfHello, 0); theirs != kPerfVersion)
    return Status::error(
        fmt::format("polyrail perf of another version: it speaks {}, this end {}", theirs, kPerfVersion));
  return planFrom(hello.value().value("plan", Json::object()));
}

// Its own errors, and members of another type than asked for, are told to the other end.
template <typename T, typename F>
Result<T> toldToo(Control& control, const F& work) {
  try {
    Result<T> result = work();
    if (!result.ok()) return control.giveUp(result.status());
    return result;
  } catch (const Json::exception&) {
    return control.giveUp(Status::error("what came is not what a polyrail perf of this version sends"));
  }
}

class Server {
 public:
  explicit Server(PerfEnd& end) : end_(end) {}

  Result<Received> run() {
    for (;;) {
      const Result<Json> order = end_.control().receive(end_.plan().patience);
      if (!order.ok()) return order.status();
      const std::string what = order.value().value("do", "");
      if (what == "bye") return all_;
      if (const Status s = obey(what, order.value()); !s.ok()) return s;
    }
  }

 private:
  Status obey(const std::string& what, const Json& order) {
    if (what == "open") return end_.open(order.value("rails", ""));
    const auto size = order.value("size", uint64_t{0});
    const int inFlight = order.value("in_flight", 1);
    PerfPlan asked = end_.plan();  // its limits hold for what is asked now, too
    asked.sizes = {size};
    asked.inFlight = {inFlight};
    if (Status s = checkPlan(asked); !s.ok()) return s;
    if (what == "bandwidth") return bandwidth(size, inFlight);
    if (what == "latency") return latency(size);
    return Status::error("the other end asks for what this version does not know: " + what);
  }

  Status ready() { return end_.control().send({{"ready", true}}); }

  Status report(const Received& r, const char* way) {
    all_.add(r);
    return end_.control().send(
        {{"messages", r.messages}, {"wrong", r.wrong}, {"first_wrong", r.firstWrong}, {"memory", way}});
  }

  Status bandwidth(uint64_t size, int inFlight) {
    void* comm = end_.link().recv();
    const Result<std::unique_ptr<Slots>> slots = end_.slots(comm, size, inFlight);
    if (!slots.ok()) return slots.status();
    if (Status s = ready(); !s.ok()) return s;
    Received all;
    for (const Content content : passes(end_.plan().verify)) {
      const Result<Received> one = receiveSeries(end_.seriesEnd(*slots.value(), comm, content));
      if (!one.ok()) return one.status();
      all.add(one.value());
    }
    return report(all, slots.value()->way());
  }

  Status latency(uint64_t size) {
    const Result<PerfEnd::PingSlots> slots = end_.pingSlots(size);
    if (!slots.ok()) return slots.status();
    if (Status s = ready(); !s.ok()) return s;
    Received all;
    for (const Content content : passes(end_.plan().verify)) {
      const uint64_t count = pingsOf(end_.plan(), content);
      const Result<Pings> one = answerPings(end_.pingEnd(slots.value(), content), count);
      if (!one.ok()) return one.status();
      all.add(one.value().received);
    }
    return report(all, slots.value().receiving->way());
  }

  PerfEnd& end_;
  Received all_;
};

Result<Received> serveChecked(Control& control, const PerfPlan& plan, const EndOptions& options) {
  const Result<std::unique_ptr<PerfEnd>> end = PerfEnd::make(control, plan, options);
  if (!end.ok()) return end.status();
  if (const Status s = control.send({{"plugin", end.value()->plugin().calls().name}}); !s.ok()) return s;
  return Server(*end.value()).run();
}

}  // namespace

Result<PerfPlan> greet(Control& control) {
  return toldToo<PerfPlan>(control, [&] { return readHello(control); });
}

Result<Received> serve(Control& control, const PerfPlan& plan, const EndOptions& options) {
  return toldToo<Received>(control, [&] { return serveChecked(control, plan, options); });
}

}  // namespace polyrail::cli
