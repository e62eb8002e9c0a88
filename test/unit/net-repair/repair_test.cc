// SPDX-License-Identifier: Apache-2.0
// Rails that fail under load, in virtual time: nothing is lost, the others take over, and the rail comes back.
#include <gtest/gtest.h>

#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 10;

struct Scene {
  explicit Scene(const std::string& faults, size_t rails = 4, size_t size = 1 << 20, RepairTimes times = {})
      : rig(optionsOf(faults, rails)),
        pair(rig, with(true, times), with(false, times)),
        stream(rig, pair, size, 8, true),
        control(rig, pair) {}

  static RigOptions optionsOf(const std::string& faults, size_t rails) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = std::vector<double>(rails, kGbps);
    o.faults = faultList(faults);
    return o;
  }
  CommOptions with(bool sender, RepairTimes times) {
    CommOptions o = repairOptions(rig, sender);
    o.times = times;
    return o;
  }
  // Runs until the time is reached or an end fails.
  void runUntil(int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || !stream.ok(); },
                    [&] {
                      const bool moved = stream.turn();
                      return control.turn() || moved;
                    },
                    100'000 * kMs);
  }
  double gbpsUntil(int64_t time) {
    const int64_t from = rig.sim().now();
    const uint64_t bytes = stream.bytes();
    runUntil(time);
    return static_cast<double>(stream.bytes() - bytes) * 8 / static_cast<double>(rig.sim().now() - from);
  }

  Rig rig;
  CommPair pair;
  Traffic stream;
  Control control;
};

TEST(Repair, ARailThatDiesUnderLoadCostsNothing) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu1"}])");
  ASSERT_TRUE(s.pair.status.ok()) << s.pair.status.message();
  s.runUntil(100 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->livePaths(), 0b1101u);
  EXPECT_GE(s.gbpsUntil(200 * kMs), 0.95 * 3 * kGbps);
  EXPECT_TRUE(s.stream.ok()) << s.stream.error();
}

TEST(Repair, TheGrantPathMayDieAtTheReceiver) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "b/emu0"}])");
  s.runUntil(100 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_GE(s.gbpsUntil(200 * kMs), 0.95 * 3 * kGbps);
}

TEST(Repair, ABlackHoleIsSeenByTheWatchdog) {
  Scene s(R"([{"at": "5ms", "do": "black_hole", "target": "a/emu2"}])", 4, 1 << 20, {.watchdog = 200 * kMs});
  s.runUntil(300 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->livePaths(), 0b1011u);
  EXPECT_GE(s.gbpsUntil(400 * kMs), 0.95 * 3 * kGbps);
}

TEST(Repair, ARailComesBack) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu1", "for": "100ms"}])");
  s.runUntil(400 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->livePaths(), 0b1111u);
  EXPECT_GE(s.gbpsUntil(500 * kMs), 0.95 * 4 * kGbps);
}

TEST(Repair, TheOnlyRailComesBack) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0", "for": "100ms"}])", 1);
  s.runUntil(400 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_GE(s.gbpsUntil(500 * kMs), 0.95 * kGbps);
}

// The rails that are left have no path between them: one is made.
TEST(Repair, DifferentRailsMayDieAtTheTwoEnds) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"},
              {"at": "9ms", "do": "port_down", "target": "b/emu1"}])",
          2);
  s.runUntil(400 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->livePaths(), 0b100u);
  EXPECT_GE(s.gbpsUntil(500 * kMs), 0.95 * kGbps);
}

TEST(Repair, EachOfManyPairsIsTriedWhenOnlyOneIsLeft) {
  Scene s(
      R"([{"at": "5ms", "do": "port_down", "target": "a/emu0"}, {"at": "5ms", "do": "port_down", "target": "a/emu1"},
              {"at": "5ms", "do": "port_down", "target": "a/emu2"}, {"at": "5ms", "do": "black_hole", "target": "b/emu1"},
              {"at": "5ms", "do": "port_down", "target": "b/emu2"}, {"at": "5ms", "do": "port_down", "target": "b/emu3"}])",
      4, 1 << 18, {.watchdog = 100 * kMs});
  s.runUntil(3000 * kMs);
  ASSERT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_GE(s.gbpsUntil(3100 * kMs), 0.95 * kGbps);
}

TEST(Repair, WithNoPathLeftBothEndsAreTold) {
  Scene s(R"([{"at": "5ms", "do": "port_down", "target": "a"}])", 2, 1 << 20, {.noPath = 500 * kMs});
  s.runUntil(2000 * kMs);
  for (int i = 0; i < 3; i++) {
    s.control.turn();
    s.rig.sim().run(kMs);
  }
  for (const std::string& error : {s.pair.send->error(), s.pair.recv->error()})
    EXPECT_NE(error.find("POLYRAIL_NO_PATH_TIMEOUT"), std::string::npos) << error;
}

}  // namespace
}  // namespace polyrail::net
