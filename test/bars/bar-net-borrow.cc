// SPDX-License-Identifier: Apache-2.0
// NICs that nobody fused, four comms, one on each, all loaded, in virtual time; 2 us one way, 8 messages of 1 MiB in
// flight. One NIC falls to a quarter of its rate, at either end: what its comm reaches, what the siblings lose, and
// what is left of it when the NIC has recovered. Then what must not make any comm borrow.
#include <cstdio>

#include "test/unit/net-repair/fleet.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 1;
constexpr size_t kNics = 4;

void bar(const std::string& name, double figure, double limit, bool holds) {
  std::printf("BAR net-borrow-%s %.3f %.3f %s\n", name.c_str(), figure, limit, holds ? "holds" : "falls-short");
  std::fflush(stdout);
}
void atLeast(const std::string& name, double figure, double limit) { bar(name, figure, limit, figure >= limit); }
void atMost(const std::string& name, double figure, double limit) { bar(name, figure, limit, figure <= limit); }

double leastRatio(const std::vector<double>& now, const std::vector<double>& before, size_t from) {
  double least = 1e9;
  for (size_t i = from; i < now.size(); i++) least = std::min(least, now[i] / before[i]);
  return least;
}

void aQuarter(const std::string& end, const char* target) {
  Fleet f(
      kNics, kGbps,
      R"([{"at": "500ms", "do": "slow", "target": ")" + std::string(target) + R"(", "amount": 25, "for": "5500ms"}])",
      {.check = false});
  f.runUntil(100 * kMs);
  const std::vector<double> whole = f.gbpsUntil(500 * kMs);
  f.runUntil(700 * kMs);
  const std::vector<double> alone = f.gbpsUntil(1000 * kMs);
  f.runUntil(4000 * kMs);
  const std::vector<double> borrowing = f.gbpsUntil(6000 * kMs);
  f.runUntil(10'000 * kMs);
  const std::vector<double> after = f.gbpsUntil(11'000 * kMs);
  atLeast("gain-" + end, f.ok() ? borrowing[0] / alone[0] : 0, 2);
  atMost("most-a-sibling-loses-" + end, f.ok() ? 1 - leastRatio(borrowing, whole, 1) : 1, 0.15);
  atLeast("least-after-recovery-" + end, f.ok() ? leastRatio(after, whole, 0) : 0, 0.97);
  atMost("paths-after-recovery-" + end, static_cast<double>(std::popcount(f.lanes[0]->pair.send->livePaths())), 1);
}

void noFalseAlarm(const std::string& name, const std::string& faults, uint64_t messages) {
  Fleet f(kNics, kGbps, faults, {.check = false});
  for (const auto& lane : f.lanes) lane->stream.stopAfter(messages);
  f.runUntil(10'000 * kMs);
  atMost("paths-made-" + name, f.ok() ? static_cast<double>(f.made() + f.fenced()) : 1e6, 0);
}

}  // namespace
}  // namespace polyrail::net

int main() {
  using namespace polyrail::net;
  aQuarter("slow-sender", "a/emu0");
  aQuarter("slow-receiver", "b/emu0");
  noFalseAlarm("all-at-half-for-10s", R"([{"at": "0ms", "do": "slow", "target": "a", "amount": 50}])", UINT64_MAX);
  noFalseAlarm("with-nothing-granted", "[]", 20);
}
