// SPDX-License-Identifier: Apache-2.0
// Virtual time: rates, latencies and shares are exact numbers, runs repeat.
#include <filesystem>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

Fabric oneToFour() {
  Fabric fabric = defaultFabric();
  for (HostSpec& host : fabric.hosts) host.nics[1].ports[0].rate = 25'000'000'000;
  return fabric;
}

TEST(Timing, OneMessageTakesItsBytesAndTwoLatencies) {
  Pair p;
  const Time start = p.sim.now();
  ASSERT_EQ(p.a.write(1, p.b, 1 << 20), 0);
  ASSERT_EQ(p.wait(p.a, 1).size(), 1u);
  const double wire = (1 << 20) * 8 / 100.0;
  EXPECT_NEAR(static_cast<double>(p.sim.now() - start), wire + 2000, 300);
}

TEST(Timing, RatesAreExact) {
  for (const int64_t rate : {int64_t{100'000'000'000}, int64_t{25'000'000'000}, int64_t{400'000'000}}) {
    Fabric fabric = defaultFabric();
    for (HostSpec& host : fabric.hosts) host.nics[0].ports[0].rate = rate;
    PairOptions o;
    o.timeout = 20;
    Pair p(o, fabric);
    const Time start = p.sim.now();
    for (uint64_t i = 0; i < 64; i++) ASSERT_EQ(p.a.write(i, p.b, 1 << 20), 0);
    ASSERT_EQ(p.wait(p.a, 64).size(), 64u);
    const double got = 64.0 * (1 << 20) * 8e9 / static_cast<double>(p.sim.now() - start - 2000);
    EXPECT_NEAR(got / static_cast<double>(rate), 1, 0.001);
  }
}

TEST(Timing, QueuePairsShareAPortEvenly) {
  Fabric fabric = defaultFabric();
  Simulation sim(fabric);
  End a(sim, "a", {}), b(sim, "b", {}), c(sim, "a", {}), d(sim, "b", {});
  ASSERT_EQ(a.connect(b) + b.connect(a) + c.connect(d) + d.connect(c), 0);
  for (uint64_t i = 0; i < 20; i++) {
    ASSERT_EQ(a.write(i, b, 1 << 20), 0);
    ASSERT_EQ(c.write(i, d, 1 << 20), 0);
  }
  sim.run(20 * (1 << 20) * 8 / 100);  // half of what all need
  const auto first = a.poll().size(), second = c.poll().size();
  EXPECT_NEAR(static_cast<double>(first), static_cast<double>(second), 1);
  EXPECT_NEAR(static_cast<double>(first + second), 20, 2);
}

TEST(Timing, ReceiversRateIsShared) {
  Fabric fabric = defaultFabric();
  fabric.hosts.push_back(fabric.hosts[0]);
  fabric.hosts[2].name = "c";
  for (NicSpec& nic : fabric.hosts[2].nics) {
    nic.guid = 0;
    nic.ports[0] = PortSpec{};
  }
  completeFabric(&fabric);
  Simulation sim(fabric);
  End a(sim, "a", {}), ba(sim, "b", {}), c(sim, "c", {}), bc(sim, "b", {});
  ASSERT_EQ(a.connect(ba) + ba.connect(a) + c.connect(bc) + bc.connect(c), 0);
  sim.settle();
  for (uint64_t i = 0; i < 10; i++) {
    ASSERT_EQ(a.write(i, ba, 1 << 20), 0);
    ASSERT_EQ(c.write(i, bc, 1 << 20), 0);
  }
  const Time start = sim.now();
  size_t done = 0;
  sim.until([&] { return (done += a.poll().size() + c.poll().size()) == 20; });
  const double atRate = 20.0 * (1 << 20) * 8 / 100;
  EXPECT_NEAR(static_cast<double>(sim.now() - start) / atRate, 1, 0.01);
}

TEST(Timing, CallsCostTheirHostTime) {
  Pair p;
  p.sim.settle();
  p.sim.setHost("a");
  const Time before = p.sim.clock().nowNs();
  p.a.poll();
  EXPECT_EQ(p.sim.clock().nowNs() - before, 50);
  p.sim.setHost("b");
  EXPECT_EQ(p.sim.clock().nowNs(), before) << "hosts work side by side";
  p.b.poll();
  p.b.poll();
  p.sim.settle();
  EXPECT_EQ(p.sim.clock().nowNs() - before, 100) << "a round takes as long as its busiest host";
}

uint64_t scenario(uint64_t seed, size_t* records) {
  Fabric fabric = oneToFour();
  fabric.seed = seed;
  for (HostSpec& host : fabric.hosts) host.nics[0].ports[0].loss = 0.001, host.nics[0].ports[0].jitter = 500;
  PairOptions o;
  o.retry = 7;
  Pair p(o, fabric, faults(R"([{"at": "1ms", "do": "slow", "amount": 10, "target": "a/emu0", "for": "1ms"}])"));
  for (uint64_t i = 0; i < 60; i++) EXPECT_EQ(p.a.write(i, p.b, 200000), 0);
  p.wait(p.a, 60);
  *records = p.sim.world().trace.count();
  return p.sim.world().trace.hash();
}

TEST(Timing, RunsRepeat) {
  size_t n1, n2, n3;
  const uint64_t first = scenario(7, &n1), again = scenario(7, &n2), other = scenario(8, &n3);
  EXPECT_EQ(first, again);
  EXPECT_EQ(n1, n2);
  EXPECT_NE(first, other);
}

// In virtual time no thread runs and no call blocks: with nothing there, calls that wait elsewhere return at once.
TEST(Timing, NoThreadRunsAndNothingBlocks) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
  };
  const auto before = threads();
  Pair p;
  ASSERT_EQ(p.a.write(1, p.b, 1 << 20), 0);
  ASSERT_EQ(p.wait(p.a, 1).size(), 1u);
  EXPECT_EQ(threads(), before);
  ibv_cq* cq;
  void* user;
  ibv_async_event event;
  EXPECT_EQ(ibv_get_cq_event(p.a.channel, &cq, &user), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(ibv_get_async_event(p.a.context, &event), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(Timing, NothingLeaks) {
  Simulation sim(defaultFabric());
  {
    End a(sim, "a", {}), b(sim, "b", {});
    EXPECT_EQ(sim.world().census.total(), 12);
  }
  EXPECT_EQ(sim.world().census.text(), "");
}

}  // namespace
}  // namespace polyrail::emu
