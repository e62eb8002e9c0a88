// SPDX-License-Identifier: Apache-2.0
// Comms whose NICs nobody fused: a NIC that dies wholly is stood in for by a sibling, and its comm returns to it.
#include <gtest/gtest.h>

#include "test/unit/net-repair/lane.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 1;

struct Scene {
  explicit Scene(const std::string& faults, size_t nics = 4, const LaneOptions& options = {.size = 128 << 10})
      : rig(optionsOf(faults, nics)), lane(rig, options) {}

  static RigOptions optionsOf(const std::string& faults, size_t nics) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = std::vector<double>(nics, kGbps);
    o.faults = faultList(faults);
    return o;
  }
  void runUntil(int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || !lane.stream.ok(); }, [&] { return lane.turn(); },
                    100'000 * kMs);
  }
  double gbpsUntil(int64_t time) {
    const int64_t from = rig.sim().now();
    const uint64_t bytes = lane.stream.bytes();
    runUntil(time);
    return static_cast<double>(lane.stream.bytes() - bytes) * 8 / static_cast<double>(rig.sim().now() - from);
  }

  Rig rig;
  Lane lane;
};

TEST(Standby, CostsNothingUntilItIsNeeded) {
  Rig alone(Scene::optionsOf("[]", 4)), among(Scene::optionsOf("[]", 4));
  Lane without(alone, {.senderStandby = false, .receiverStandby = false}), with(among, {});
  ASSERT_TRUE(with.pair.status.ok()) << with.pair.status.message();
  for (const bool sender : {true, false}) EXPECT_EQ(controlCalls(alone, sender), controlCalls(among, sender));
  EXPECT_EQ(alone.sim().world().census.text(), among.sim().world().census.text());
}

TEST(Standby, ASiblingStandsInForANicThatDies) {
  for (const char* dead : {"a/emu0", "b/emu0"}) {
    Scene s(R"([{"at": "5ms", "do": "port_down", "target": ")" + std::string(dead) + R"("}])");
    ASSERT_TRUE(s.lane.pair.status.ok()) << s.lane.pair.status.message();
    s.runUntil(300 * kMs);
    ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
    EXPECT_EQ(s.lane.pair.send->livePaths(), 0b10u) << dead;
    EXPECT_EQ(s.lane.extensions, 2u);
    EXPECT_GE(s.gbpsUntil(400 * kMs), 0.95 * kGbps) << dead;
    ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
  }
}

TEST(Standby, DifferentNicsMayDieAtTheTwoEnds) {
  Scene s(
      R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}, {"at": "5ms", "do": "port_down", "target": "a/emu1"},
              {"at": "7ms", "do": "port_down", "target": "b/emu0"}, {"at": "7ms", "do": "port_down", "target": "b/emu2"},
              {"at": "7ms", "do": "port_down", "target": "b/emu3"}])");
  s.runUntil(2000 * kMs);
  ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
  EXPECT_GE(s.gbpsUntil(2100 * kMs), 0.95 * kGbps);
}

TEST(Standby, TheCommReturnsToItsNic) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0", "for": "400ms"}])");
  s.runUntil(300 * kMs);
  EXPECT_EQ(s.lane.pair.send->livePaths(), 0b10u);
  s.runUntil(3000 * kMs);
  ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
  EXPECT_EQ(s.lane.pair.send->livePaths(), 0b01u);
  EXPECT_EQ(s.lane.pair.recv->livePaths(), 0b01u);
  EXPECT_GE(s.gbpsUntil(3100 * kMs), 0.95 * kGbps);
}

TEST(Standby, AgainAndAgain) {
  std::string faults = "[";
  for (int i = 0; i < 4; i++)
    faults += std::string(i ? "," : "") + R"({"at": ")" + std::to_string(20 + 2500 * i) +
              R"(ms", "do": "port_down", "target": ")" + (i % 2 ? "a" : "b") + R"(/emu0", "for": "300ms"})";
  Scene s(faults + "]", 3);
  for (int i = 0; i < 4; i++) {
    s.runUntil((200 + 2500 * i) * kMs);
    ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
    EXPECT_EQ(s.lane.pair.send->livePaths(), 0b10u) << i;
  }
}

TEST(Standby, AStandbyThatDiesIsStoodInForToo) {
  Scene s(
      R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}, {"at": "200ms", "do": "port_down", "target": "b/emu1"},
              {"at": "400ms", "do": "port_down", "target": "a/emu2"}])");
  s.runUntil(3000 * kMs);
  ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
  EXPECT_GE(s.gbpsUntil(3100 * kMs), 0.95 * kGbps);
}

TEST(Standby, OneEndMayHaveNoSiblings) {
  for (const bool sender : {true, false}) {
    Scene s(R"([{"at": "5ms", "do": "port_down", "target": ")" + std::string(sender ? "a" : "b") + R"(/emu0"}])", 2,
            {.size = 128 << 10, .senderStandby = sender, .receiverStandby = !sender});
    s.runUntil(1000 * kMs);
    ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
    EXPECT_GE(s.gbpsUntil(1100 * kMs), 0.95 * kGbps);
  }
}

TEST(Standby, WithNoneReachableBothEndsAreToldAsBefore) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a"}])", 2, {.times = {.noPath = 500 * kMs}});
  s.runUntil(2000 * kMs);
  for (int i = 0; i < 3; i++) {
    s.lane.control.turn();
    s.rig.sim().run(kMs);
  }
  for (const std::string& error : {s.lane.pair.send->error(), s.lane.pair.recv->error()})
    EXPECT_NE(error.find("POLYRAIL_NO_PATH_TIMEOUT"), std::string::npos) << error;
}

TEST(Standby, MemoryThatCannotBeRegisteredThereIsNoStandby) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}])", 2,
          {.size = 128 << 10, .times = {.noPath = 2000 * kMs}});
  s.lane.refusal = Status::error("emu1: memory cannot be registered");
  s.runUntil(1000 * kMs);
  EXPECT_TRUE(s.lane.stream.ok());
  EXPECT_EQ(s.lane.pair.send->livePaths(), 0u);
  s.lane.refusal = {};
  s.runUntil(1900 * kMs);
  ASSERT_TRUE(s.lane.stream.ok()) << s.lane.stream.error();
  EXPECT_GE(s.gbpsUntil(2000 * kMs), 0.95 * kGbps);
}

}  // namespace
}  // namespace polyrail::net
