// SPDX-License-Identifier: Apache-2.0
// Bars of the emulated verbs in virtual time: rates of 1:4 come out within 0.1 %, two runs of one scenario and seed
// give identical traces, and 10 GB over 8 rails take under 20 s of real time.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

Fabric rails(size_t count, const std::vector<int64_t>& rates) {
  Fabric fabric;
  for (const char* name : {"a", "b"}) fabric.hosts.push_back({name, std::vector<NicSpec>(count)});
  for (HostSpec& host : fabric.hosts) {
    for (size_t i = 0; i < count; i++) {
      host.nics[i].ports.resize(1);
      host.nics[i].ports[0].rate = rates[i % rates.size()];
    }
  }
  completeFabric(&fabric);
  return fabric;
}

void report(const char* name, double figure, double limit, const char* unit) {
  std::printf("BAR %s %.4g%s %g%s %s\n", name, figure, unit, limit, unit, figure <= limit ? "holds" : "falls-short");
}

PairOptions deep(size_t bytes) {
  PairOptions o;
  o.bytes = bytes;
  o.timeout = 20;
  return o;
}

struct Rail {
  std::unique_ptr<End> a, b;
  uint64_t posted = 0, done = 0;
  Time finished = 0;
};

// Writes `total` bytes over each rail, 16 writes of `size` at a time on each.
std::vector<Rail> transfer(Simulation& sim, size_t count, size_t size, uint64_t total) {
  std::vector<Rail> all(count);
  for (size_t i = 0; i < count; i++) {
    const std::string nic = "emu" + std::to_string(i);
    all[i].a = std::make_unique<End>(sim, "a", deep(size), nic);
    all[i].b = std::make_unique<End>(sim, "b", deep(size), nic);
    if (all[i].a->connect(*all[i].b) + all[i].b->connect(*all[i].a) != 0) return {};
  }
  const uint64_t wanted = total / size;
  size_t left = count;
  while (left > 0) {
    bool progress = false;
    for (Rail& r : all) {
      if (r.done == wanted) continue;
      const uint64_t got = r.a->poll(16).size();
      r.done += got;
      for (; r.posted < wanted && r.posted < r.done + 16; r.posted++, progress = true)
        if (r.a->write(r.posted, *r.b, size) != 0) return {};
      if (got > 0) progress = true;
      if (r.done == wanted) r.finished = sim.now(), left--;
    }
    if (progress)
      sim.settle();
    else if (!sim.advance())
      return {};
  }
  return all;
}

void rateBar() {
  Simulation sim(rails(2, {500'000'000, 2'000'000'000}));
  const std::vector<Rail> done = transfer(sim, 2, 1 << 16, 64 << 20);
  double worst = done.empty() ? 100 : 0;
  for (size_t i = 0; i < done.size(); i++) {
    const double rate = i == 0 ? 0.5e9 : 2e9;
    const double got = (64 << 20) * 8e9 / static_cast<double>(done[i].finished);
    worst = std::max(worst, std::fabs(got / rate - 1) * 100);
  }
  report("emu-rates-virtual", worst, 0.1, "%");
}

uint64_t traceOf(uint64_t seed) {
  Fabric fabric = rails(4, {100'000'000'000, 25'000'000'000});
  fabric.seed = seed;
  for (HostSpec& host : fabric.hosts)
    for (NicSpec& nic : host.nics) nic.ports[0].jitter = 800;
  Simulation sim(fabric, faults(R"([{"at": "200us", "do": "slow", "amount": 20, "target": "a/emu1", "for": "1ms"},
                                    {"after_bytes": "2MB", "do": "black_hole", "target": "a/emu0", "for": "3ms"}])"));
  transfer(sim, 4, 1 << 18, 8 << 20);
  return sim.world().trace.hash();
}

void repeatBar() {
  const bool same = traceOf(3) == traceOf(3), differs = traceOf(3) != traceOf(4);
  std::printf("BAR emu-runs-repeat %s identical %s\n", same ? "identical" : "different",
              same && differs ? "holds" : "falls-short");
}

void speedBar() {
  const auto start = std::chrono::steady_clock::now();
  Simulation sim(rails(8, {400'000'000'000}));
  const bool moved = !transfer(sim, 8, 1 << 20, 1'250'000'000).empty();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report("emu-10GB-over-8-rails", moved ? took.count() : 1e9, 20, "s");
}

}  // namespace
}  // namespace polyrail::emu

int main() {
  polyrail::emu::rateBar();
  polyrail::emu::repeatBar();
  polyrail::emu::speedBar();
  return 0;
}
