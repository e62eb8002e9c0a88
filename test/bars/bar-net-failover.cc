// SPDX-License-Identifier: Apache-2.0
// Rails that fail under load, in virtual time: how long the stream stands still, what the others reach afterwards,
// that nothing is taken for a failure that is none, how soon a rail that flaps is used again, when both ends know
// that no path is left, and chaos. Four rails of 10 Gb/s, 2 us one way, 8 messages of 1 MiB in flight, the watchdog's
// default of 1 s.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "test/unit/net-repair/chaos.h"
#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 10;
constexpr size_t kRails = 4;

void bar(const char* name, double figure, double limit, bool holds) {
  std::printf("BAR net-failover-%s %.3f %.3f %s\n", name, figure, limit, holds ? "holds" : "falls-short");
  std::fflush(stdout);
}
void atLeast(const char* name, double figure, double limit) { bar(name, figure, limit, figure >= limit); }
void atMost(const char* name, double figure, double limit) { bar(name, figure, limit, figure <= limit); }

RigOptions rigOptions(const std::string& faults) {
  RigOptions o;
  o.senderGbps = o.receiverGbps = std::vector<double>(kRails, kGbps);
  o.latencyNs = 2'000;
  o.faults = faultList(faults);
  return o;
}

class Scene {
 public:
  explicit Scene(const std::string& faults)
      : rig(rigOptions(faults)),
        pair(rig, repairOptions(rig, true), repairOptions(rig, false)),
        stream(rig, pair, 1 << 20, 8, true),
        control(rig, pair) {}
  // The longest time without a message that was received.
  void runUntil(int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || !stream.ok(); }, [&] { return turn(); }, time);
  }
  double gbpsUntil(int64_t time) {
    const int64_t from = rig.sim().now();
    const uint64_t bytes = stream.bytes();
    runUntil(time);
    return stream.ok() ? static_cast<double>(stream.bytes() - bytes) * 8 / static_cast<double>(time - from) : 0;
  }
  bool turn() {
    const uint64_t before = stream.received();
    const bool moved = stream.turn();
    const int64_t now = rig.sim().now();
    longestStall = std::max(longestStall, now - last_);
    if (stream.received() != before) last_ = now;
    return control.turn() || moved;
  }
  int64_t longestStall = 0;

  Rig rig;
  CommPair pair;
  Traffic stream;
  Control control;

 private:
  int64_t last_ = 0;
};

// Over all three that are left: the least of their shares, against an even one.
double leastShare(const SendComm& send, const std::array<uint64_t, kRails>& before, unsigned dead) {
  double sum = 0, least = 1e18;
  for (unsigned p = 0; p < kRails; p++) {
    if (p == dead) continue;
    const double bytes = static_cast<double>(send.bytesPosted(p) - before[p]);
    sum += bytes;
    least = std::min(least, bytes);
  }
  return least / (sum / (kRails - 1));
}

void oneOfFour() {
  Scene event(R"([{"at": "20ms", "do": "port_down", "target": "a/emu1"}])");
  event.runUntil(150 * kMs);
  atMost("stall-ms-with-a-port-event", static_cast<double>(event.longestStall) / kMs, 100);
  std::array<uint64_t, kRails> before;
  for (unsigned p = 0; p < kRails; p++) before[p] = event.pair.send->bytesPosted(p);
  atLeast("three-rails-of-their-sum", event.gbpsUntil(300 * kMs) / (3 * kGbps), 0.95);
  atLeast("three-rails-least-share", leastShare(*event.pair.send, before, 1), 0.8);
  Scene hole(R"([{"at": "20ms", "do": "black_hole", "target": "b/emu2"}])");
  hole.runUntil(1200 * kMs);
  atMost("stall-ms-in-a-black-hole", static_cast<double>(hole.longestStall) / kMs, 1000);
  atLeast("after-a-black-hole-of-their-sum", hole.gbpsUntil(1300 * kMs) / (3 * kGbps), 0.95);
}

void noFalseAlarm() {
  Scene half(R"([{"at": "0ms", "do": "slow", "target": "a", "amount": 5}])");
  half.runUntil(10'000 * kMs);
  atMost("repairs-at-a-twentieth-for-10s",
         half.stream.ok() ? static_cast<double>(half.control.messages(MessageType::kFence)) : 1e6, 0);
  Scene silent("[]");
  silent.stream.stopAfter(0);
  silent.runUntil(5'000 * kMs);
  atMost("repairs-while-nothing-is-granted-for-5s", static_cast<double>(silent.control.messages(MessageType::kFence)),
         0);
}

// 1,000 flaps, 3 ms down and 3 ms up.
void flapStorm() {
  std::string faults = "[";
  for (int i = 0; i < 1000; i++)
    faults += std::string(i ? "," : "") + R"({"at": ")" + std::to_string(20 + 6 * i) +
              R"(ms", "do": "port_down", "target": "a/emu1", "for": "3ms"})";
  Scene storm(faults + "]");
  const int64_t last = (20 + 6 * 999 + 3) * kMs;
  storm.runUntil(last);
  while (storm.stream.ok() && storm.pair.send->livePaths() != 0b1111 && storm.rig.sim().now() < last + 10'000 * kMs)
    storm.runUntil(storm.rig.sim().now() + 10 * kMs);
  const double ms = static_cast<double>(storm.rig.sim().now() - last) / kMs;
  atMost("ms-until-a-flapping-rail-is-used", storm.stream.ok() ? ms : 1e6, 1000 + 2500);
}

// All rails of one end die: when the later end has its error, from then on.
void noPathLeft() {
  Scene dead(R"([{"at": "20ms", "do": "port_down", "target": "a"}])");
  const int64_t deadline = RepairTimes{}.noPath;
  const auto know = [&] { return !dead.pair.send->error().empty() && !dead.pair.recv->error().empty(); };
  dead.rig.sim().until(
      know, [&] { return dead.turn(); }, 2 * deadline);
  atMost("ms-until-both-ends-know", know() ? static_cast<double>(dead.rig.sim().now() - 20 * kMs) / kMs : 1e6,
         static_cast<double>(deadline) / kMs + 100);
}

// A run of none that is spared may end with an error, but then at both ends, and never with wrong data.
bool good(const ChaosResult& r, const ChaosOptions& o) {
  const bool whole = r.error.empty() && r.received == o.messages;
  return (o.spare ? whole : r.ended && r.wrong.empty()) && r.violations == 0 && r.left.empty();
}

void chaos(const char* name, uint64_t messages, ChaosOptions o) {
  uint64_t bad = 0;
  for (uint64_t sent = 0; sent < messages && bad == 0; sent += o.messages, o.seed++) {
    const ChaosResult r = runChaos(o);
    if (good(r, o)) continue;
    bad++;
    std::printf("  seed %lu: %s\n", static_cast<unsigned long>(o.seed), r.error.c_str());
  }
  atMost(name, static_cast<double>(bad), 0);
}

void unfenced() {
  uint64_t harmed = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    const ChaosResult r = runChaos({.seed = seed, .messages = 300, .unfenced = true});
    harmed += r.violations > 0 || r.error.find("other bytes") != std::string::npos;
  }
  atLeast("chaos-unfenced-runs-with-harm", static_cast<double>(harmed), 1);
}

}  // namespace
}  // namespace polyrail::net

int main() {
  using namespace polyrail::net;
  oneOfFour();
  noFalseAlarm();
  flapStorm();
  noPathLeft();
  chaos("chaos-100000-messages-bad-runs", 100'000, {});
  chaos("chaos-unfused-50000-messages-bad-runs", 50'000, {.unfused = true});
  chaos("chaos-none-spared-50000-messages-bad-runs", 50'000, {.spare = false});
  chaos("chaos-none-spared-unfused-20000-messages-bad-runs", 20'000, {.spare = false, .unfused = true});
  unfenced();
}
