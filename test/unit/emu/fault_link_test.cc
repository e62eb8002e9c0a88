// SPDX-License-Identifier: Apache-2.0
// Faults of links: what they do to traffic in either direction, and how each ends.
#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

using Names = std::vector<std::string>;
using Events = std::vector<ibv_event_type>;

Pair after(const std::string& list) { return Pair({}, defaultFabric(), faults(list)); }

ibv_port_state stateOf(End& end) {
  ibv_port_attr attr;
  EXPECT_EQ(ibv_query_port(end.context, 1, &attr), 0);
  return attr.state;
}

TEST(FaultLink, DownUntilUp) {
  Pair p = after(R"([{"at": "1us", "do": "port_down", "target": "a/emu0"},
                     {"at": "5s", "do": "port_up", "target": "a/emu0"}])");
  p.sim.run(1000);
  EXPECT_EQ(stateOf(p.a), IBV_PORT_DOWN);
  EXPECT_EQ(stateOf(p.b), IBV_PORT_ACTIVE) << "another switch port";
  ASSERT_EQ(p.a.write(1, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
  p.sim.run(5'000'000'000);
  EXPECT_EQ(stateOf(p.a), IBV_PORT_ACTIVE);
  EXPECT_EQ(p.a.events(), (Events{IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE}));
}

// An acknowledgement that cannot come back: the data is there all the same.
TEST(FaultLink, HolesHaveADirection) {
  for (const bool in : {true, false}) {
    Pair p = after(std::string(R"([{"at": 0, "do": "black_hole", "target": "b/emu0", "direction": ")") +
                   (in ? "in\"}]" : "out\"}]"));
    p.sim.run(1);
    p.a.buffer.data()[0] = 0x77;
    ASSERT_EQ(p.a.write(1, p.b, 8), 0);
    EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
    EXPECT_EQ(p.b.buffer.data()[0], in ? 0 : 0x77);
  }
}

TEST(FaultLink, HealEndsThem) {
  for (const char* what : {R"("black_hole")", R"("loss", "amount": 1)", R"("slow", "amount": 0.001)"}) {
    Pair p = after(std::string(R"([{"at": 0, "target": "a/emu0", "do": )") + what +
                   R"(}, {"at": "20ms", "do": "heal", "target": "a"}])");
    p.sim.run(20'000'001);
    const Time start = p.sim.now();
    ASSERT_EQ(p.a.write(1, p.b, 1 << 20), 0);
    EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"}) << what;
    EXPECT_LT(p.sim.now() - start, 100'000) << what;
  }
}

TEST(FaultLink, LossCostsPacketsAndNothingElse) {
  PairOptions o;
  o.retry = 7;
  Pair p(o, defaultFabric(), faults(R"([{"at": 0, "do": "loss", "amount": 0.01, "target": "a/emu0"}])"));
  p.sim.run(1);
  for (uint64_t i = 0; i < 32; i++) ASSERT_EQ(p.a.write(i, p.b, 65536), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 32)), Names(32, "SUCCESS"));
  EXPECT_GT(p.sim.world().ports()[0]->lostPackets, 0u);
}

// A grant (a small WRITE on a queue pair of its own) that lands long after its sender gave it up.
TEST(FaultLink, LateGrant) {
  Simulation sim(defaultFabric(),
                 faults(R"([{"at": 0, "do": "late", "target": "a/emu0", "op": "write", "max": 256, "by": "5s"}])"));
  End a(sim, "a", {}), b(sim, "b", {}), data(sim, "a", {}), sink(sim, "b", {});
  ASSERT_EQ(a.connect(b) + b.connect(a) + data.connect(sink) + sink.connect(data), 0);
  sim.run(1'000'000);
  a.buffer.data()[0] = data.buffer.data()[0] = 0x77;
  ASSERT_EQ(data.write(1, sink, 100000), 0);
  ASSERT_EQ(a.write(1, b, 64), 0);
  sim.run(3'000'000'000);
  EXPECT_EQ(statuses(a.poll()), Names{"RETRY_EXC_ERR"});
  EXPECT_EQ(statuses(data.poll()), Names{"SUCCESS"});
  EXPECT_EQ(b.buffer.data()[0], 0);
  sim.run(3'000'000'000);
  EXPECT_EQ(b.buffer.data()[0], 0x77);
}

TEST(FaultLink, CallsMayTriggerThem) {
  Pair p = after(R"([{"on_call": "ibv_post_send", "nth": 2, "host": "a", "do": "black_hole", "target": "b/emu0"}])");
  ASSERT_EQ(p.a.write(1, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
  ASSERT_EQ(p.a.write(2, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
}

TEST(FaultLink, ModifyFailsAndStays) {
  Pair p(
      {}, defaultFabric(),
      faults(R"([{"on_call": "ibv_modify_qp", "nth": 4, "host": "a", "do": "fail", "errno": "EIO", "count": 0}])"));
  EXPECT_EQ(p.a.toState(IBV_QPS_ERR), EIO);
  EXPECT_EQ(p.a.toState(IBV_QPS_ERR), EIO);
  EXPECT_EQ(p.a.state(), IBV_QPS_RTS);
  EXPECT_EQ(p.b.toState(IBV_QPS_ERR), 0);
}

}  // namespace
}  // namespace polyrail::emu
