// SPDX-License-Identifier: Apache-2.0
// Rails that fail under load, in virtual time: nothing is lost, the others take over, and the rail comes back.
#include <gtest/gtest.h>

#include "test/unit/net-repair/scene.h"

namespace polyrail::net {
namespace {

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
