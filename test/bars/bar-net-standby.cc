// SPDX-License-Identifier: Apache-2.0
// NICs that nobody fused, four comms, one on each, in virtual time: one NIC dies under load, at either end, with a
// port event or as a black hole. How long its comm stands still, and what the comms reach together over what is left.
#include <cstdio>

#include "test/unit/net-repair/fleet.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 1;
constexpr size_t kNics = 4;

void bar(const std::string& name, double figure, double limit, bool holds) {
  std::printf("BAR net-standby-%s %.3f %.3f %s\n", name.c_str(), figure, limit, holds ? "holds" : "falls-short");
  std::fflush(stdout);
}

// The longest time in which its comm received nothing.
double stallMs(Fleet& f, int64_t until) {
  int64_t longest = 0, last = f.rig.sim().now();
  for (uint64_t before = f.lanes[0]->stream.received(); f.rig.sim().now() < until && f.ok();) {
    f.runUntil(f.rig.sim().now() + kMs);
    const uint64_t now = f.lanes[0]->stream.received();
    if (now != before) before = now, last = f.rig.sim().now();
    longest = std::max(longest, f.rig.sim().now() - last);
  }
  return static_cast<double>(longest) / kMs;
}

void aNicDies(const std::string& name, const char* fault, const char* target, double mostMs) {
  Fleet f(kNics, kGbps, R"([{"at": "300ms", "do": ")" + std::string(fault) + R"(", "target": ")" + target + R"("}])",
          {.check = false});
  f.runUntil(290 * kMs);
  const double stall = stallMs(f, 3000 * kMs);
  const std::vector<double> rates = f.gbpsUntil(4000 * kMs);
  double sum = 0;
  for (const double rate : rates) sum += rate;
  bar("stall-ms-" + name, stall, mostMs, f.ok() && stall <= mostMs);
  bar("of-three-nics-" + name, sum / ((kNics - 1) * kGbps), 0.95, f.ok() && sum >= 0.95 * (kNics - 1) * kGbps);
}

}  // namespace
}  // namespace polyrail::net

int main() {
  using namespace polyrail::net;
  aNicDies("sender-port-down", "port_down", "a/emu0", 100);
  aNicDies("receiver-port-down", "port_down", "b/emu0", 100);
  aNicDies("black-hole", "black_hole", "b/emu0", 1000);
}
