// SPDX-License-Identifier: Apache-2.0
// Each kind of fault, and what a program then sees.
#include <cstring>

#include "test/emu/core/status_names.h"
#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

using Names = std::vector<std::string>;
using Events = std::vector<ibv_event_type>;

void post64(Pair& p) {
  for (uint64_t i = 0; i < 64; i++) ASSERT_EQ(p.a.write(i, p.b, 100000), 0);
}

TEST(Fault, SilentBlackHoleEndsInRetryExceeded) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "black_hole", "target": "b/emu0"}])"));
  p.sim.run(1);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  ASSERT_EQ(p.a.write(2, p.b, 100), 0);
  const Time start = p.sim.now();
  EXPECT_EQ(statuses(p.wait(p.a, 2)), (Names{"RETRY_EXC_ERR", "WR_FLUSH_ERR"}));
  const double periods = static_cast<double>(p.sim.now() - start) / (4096.0 * (1 << 14));
  EXPECT_NEAR(periods, 4, 0.1);  // retry_cnt 3: the first try and three more
  EXPECT_EQ(p.b.state(), IBV_QPS_RTS);
  EXPECT_TRUE(p.a.events().empty());
  EXPECT_TRUE(p.b.events().empty());
  EXPECT_TRUE(p.b.poll().empty());
}

TEST(Fault, HealedInTimeNothingIsLost) {
  PairOptions o;
  o.retry = 7;
  Pair p(o, defaultFabric(), faults(R"([{"at": "100us", "do": "black_hole", "target": "a/emu0", "for": "300ms"}])"));
  post64(p);
  const auto done = p.wait(p.a, 64);
  ASSERT_EQ(done.size(), 64u);
  for (const ibv_wc& wc : done) EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
}

TEST(Fault, PortDownRaisesAnEventOrNot) {
  for (const bool event : {true, false}) {
    Pair p({}, defaultFabric(),
           faults(std::string(R"([{"at": "1us", "do": "port_down", "target": "a/emu0", "for": "1ms", "event": )") +
                  (event ? "true}]" : "false}]")));
    p.sim.run(2'000'000);
    EXPECT_EQ(p.a.events(), event ? (Events{IBV_EVENT_PORT_ERR, IBV_EVENT_PORT_ACTIVE}) : Events{});
  }
}

TEST(Fault, ResetAndReconnectAfterAnError) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "black_hole", "target": "b/emu0", "for": "1s"}])"));
  p.sim.run(1);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
  p.sim.run(1'000'000'000);
  for (End* e : {&p.a, &p.b}) ASSERT_EQ(e->reset(), 0);
  ASSERT_EQ(p.a.connect(p.b, 5, 6), 0);
  ASSERT_EQ(p.b.connect(p.a, 6, 5), 0);
  ASSERT_EQ(p.a.write(2, p.b, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
}

TEST(Fault, SlowToAQuarter) {
  Time took[2];
  for (int slow = 0; slow < 2; slow++) {
    Pair p({}, defaultFabric(),
           slow ? faults(R"([{"at": 0, "do": "slow", "amount": 25, "target": "a/emu0"}])") : FaultScript{});
    p.sim.run(1);
    const Time start = p.sim.now();
    post64(p);
    p.wait(p.a, 64);
    took[slow] = p.sim.now() - start;
  }
  EXPECT_NEAR(static_cast<double>(took[1]) / static_cast<double>(took[0]), 4, 0.05);
}

TEST(Fault, AnyCompletionStatus) {
  for (size_t i = 1; i < kStatusNames.size(); i++) {
    const std::string status(kStatusNames[i]);
    Pair p({}, defaultFabric(),
           faults(std::string(R"([{"at": 0, "do": "complete_with", "target": "a/emu0", "status": ")") + status +
                  "\"}]"));
    p.sim.run(1);
    ASSERT_EQ(p.a.write(1, p.b, 8), 0);
    EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{status});
    EXPECT_EQ(p.a.state(), IBV_QPS_ERR);
  }
}

TEST(Fault, LatePacketLandsAfterTheError) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "late", "target": "a/emu0", "by": "5s"}])"));
  p.sim.run(1);
  std::memset(p.a.buffer.data(), 0x77, 100);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
  std::memset(p.a.buffer.data(), 0, 100);  // the sender reuses its memory; the packet keeps what it took
  EXPECT_EQ(p.b.buffer.data()[0], 0);
  p.sim.run(6'000'000'000);
  EXPECT_EQ(p.b.buffer.data()[0], 0x77);
}

TEST(Fault, LatePacketIsFencedByTheReceiversErrorState) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "late", "target": "a/emu0", "by": "5s"}])"));
  p.sim.run(1);
  std::memset(p.a.buffer.data(), 0x77, 100);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  p.wait(p.a, 1);
  ASSERT_EQ(p.b.toState(IBV_QPS_ERR), 0);
  p.sim.run(6'000'000'000);
  EXPECT_EQ(p.b.buffer.data()[0], 0);
}

TEST(Fault, LatePacketAtAReusedNumber) {
  for (const bool force : {false, true}) {
    Fabric fabric = defaultFabric();
    for (HostSpec& host : fabric.hosts) host.nics[0].limits.qpnRange = 1;
    Pair p({}, fabric,
           faults(std::string(R"([{"at": 0, "do": "late", "target": "a/emu0", "by": "5s", "force_psn": )") +
                  (force ? "true}]" : "false}]")));
    p.sim.run(1);
    std::memset(p.a.buffer.data(), 0x77, 100);
    ASSERT_EQ(p.a.write(1, p.b, 100), 0);
    p.wait(p.a, 1);
    for (End* e : {&p.a, &p.b}) ASSERT_EQ(e->reset(), 0);
    ASSERT_EQ(p.a.connect(p.b, 0x100000, 0x200000), 0);
    ASSERT_EQ(p.b.connect(p.a, 0x200000, 0x100000), 0);
    p.sim.run(6'000'000'000);
    EXPECT_EQ(p.b.buffer.data()[0], force ? 0x77 : 0) << "another PSN keeps it out";
  }
}

TEST(Fault, AcknowledgedButNotPlaced) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "ack_without_placing", "target": "b/emu0"}])"));
  p.sim.run(1);
  std::memset(p.a.buffer.data(), 0x77, 100);
  ASSERT_EQ(p.b.recv(1, 0), 0);
  ASSERT_EQ(p.a.writeImm(1, p.b, 100, 5), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
  EXPECT_EQ(p.b.buffer.data()[0], 0);
  EXPECT_TRUE(p.b.poll().empty());
  ASSERT_EQ(p.a.writeImm(2, p.b, 100, 6), 0);
  EXPECT_EQ(be32toh(p.wait(p.b, 1).at(0).imm_data), 6u);
}

TEST(Fault, PlacementOutOfOrderWithinAMessage) {
  Pair p({}, defaultFabric(), faults(R"([{"at": 0, "do": "reorder", "target": "b/emu0", "count": 0}])"));
  p.sim.run(1);
  const size_t length = 500000;
  for (size_t i = 0; i < length; i++) p.a.buffer.data()[i] = static_cast<uint8_t>(i % 250 + 1);
  ASSERT_EQ(p.b.recv(1, 0), 0);
  ASSERT_EQ(p.a.writeImm(1, p.b, length, 5), 0);
  p.sim.run(20'000);  // half of it has arrived, and none is to be seen
  EXPECT_EQ(p.b.buffer.data()[0], 0);
  EXPECT_EQ(p.wait(p.b, 1).size(), 1u);
  EXPECT_EQ(std::memcmp(p.a.buffer.data(), p.b.buffer.data(), length), 0) << "all is there when it is reported";
}

TEST(Fault, FlushesComeLateOrNever) {
  for (const bool never : {false, true}) {
    Pair p({}, defaultFabric(),
           faults(std::string(R"([{"at": 0, "do": "flush", "target": "b/emu0", "by": "50ms", "never": )") +
                  (never ? "true}]" : "false}]")));
    p.sim.run(1);
    ASSERT_EQ(p.b.recv(1, 8), 0);
    ASSERT_EQ(p.b.toState(IBV_QPS_ERR), 0);
    p.sim.run(49'000'000);
    EXPECT_TRUE(p.b.poll().empty());
    p.sim.run(2'000'000);
    EXPECT_EQ(p.b.poll().size(), never ? 0u : 1u);
  }
}

TEST(Fault, CallsFailOnTheirNthUse) {
  Pair p({}, defaultFabric(),
         faults(R"([{"on_call": "ibv_reg_mr", "nth": 2, "host": "a", "do": "fail", "errno": "ENOMEM"},
                    {"on_call": "ibv_post_send", "nth": 2, "do": "fail", "errno": "ENOMEM"},
                    {"on_call": "ibv_modify_qp", "host": "b", "nth": 4, "do": "delay", "by": "100ms"}])"));
  EXPECT_EQ(ibv_reg_mr(p.a.pd, p.a.buffer.data(), 64, 0), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  ibv_mr* third = ibv_reg_mr(p.a.pd, p.a.buffer.data(), 64, 0);
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(ibv_dereg_mr(third), 0);
  EXPECT_EQ(p.a.write(1, p.b, 8), 0);
  EXPECT_EQ(p.a.write(2, p.b, 8), ENOMEM);
  EXPECT_EQ(p.a.write(3, p.b, 8), 0);
  const Time before = p.sim.now();
  ASSERT_EQ(p.b.toState(IBV_QPS_ERR), 0);
  p.sim.settle();
  EXPECT_GE(p.sim.now() - before, 100'000'000);
}

TEST(Fault, ByteCountsTrigger) {
  Pair p({}, defaultFabric(),
         faults(R"([{"after_bytes": "300KB", "do": "black_hole", "target": "a/emu0", "for": "10ms"}])"));
  post64(p);
  EXPECT_EQ(p.wait(p.a, 64).size(), 64u);
  EXPECT_GT(p.sim.world().ports()[0]->lostPackets, 0u);
}

TEST(Fault, DeviceRemoval) {
  Pair p({}, defaultFabric(), faults(R"([{"at": "1us", "do": "device_removal", "target": "a/emu0"}])"));
  ASSERT_EQ(p.a.recv(1, 8), 0);
  p.sim.run(2000);
  EXPECT_EQ(p.a.events(), Events{IBV_EVENT_DEVICE_FATAL});
  EXPECT_EQ(statuses(p.a.poll()), Names{"WR_FLUSH_ERR"});
  ibv_port_attr attr;
  EXPECT_EQ(ibv_query_port(p.a.context, 1, &attr), EIO);
  EXPECT_EQ(p.a.toState(IBV_QPS_RESET), EIO);
}

TEST(Fault, HostDeath) {
  Pair p({}, defaultFabric(), faults(R"([{"at": "1us", "do": "host_death", "target": "b"}])"));
  p.sim.run(2000);
  ASSERT_EQ(p.a.write(1, p.b, 8), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"RETRY_EXC_ERR"});
}

TEST(Fault, ScriptsAreChecked) {
  const struct {
    const char *text, *says;
  } bad[] = {{R"([{"at": 0, "do": "port_dwn", "target": "a/emu0"}])", "faults[0].do: 'port_dwn'"},
             {R"([{"at": 0, "do": "loss", "whom": "a/emu0"}])", "faults[0].target: missing"},
             {R"([{"at": "3 parsecs", "do": "heal", "target": "a"}])", "faults[0].at"},
             {R"([{"do": "fail", "at": 0}])", "need on_call"}};
  for (const auto& b : bad) {
    const Result<FaultScript> r = parseFaults(std::string("{\"faults\": ") + b.text + "}", "f.json");
    ASSERT_FALSE(r.ok()) << b.text;
    EXPECT_NE(r.message().find(b.says), std::string::npos) << r.message();
  }
  Simulation sim(defaultFabric(), faults(R"([{"at": 0, "do": "heal", "target": "c/emu0"}])"));
  EXPECT_NE(sim.status().message().find("nothing is called 'c/emu0'"), std::string::npos);
}

}  // namespace
}  // namespace polyrail::emu
