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

// It would else be waited for on a comm whose other rails are well.
TEST(Repair, FlushesThatNeverComeEndBothEnds) {
  Scene s(R"([{"at": "1ms", "do": "flush", "never": true, "target": "a/emu1"},
              {"at": "5ms", "do": "complete_with", "status": "REM_OP_ERR", "target": "a/emu1", "count": 1}])",
          2, 1 << 18, {.noPath = 300 * kMs});
  s.runUntil(1'000 * kMs);
  for (int i = 0; i < 3; i++) {
    s.control.turn();
    s.rig.sim().run(kMs);
  }
  EXPECT_NE(s.pair.send->error().find("does not give its work back"), std::string::npos) << s.pair.send->error();
  EXPECT_NE(s.pair.recv->error().find("the peer ended the connection"), std::string::npos) << s.pair.recv->error();
}

void cutTcp(Scene& s) {
  s.control.cutChannel();
  s.pair.send->peerIs(Comm::Peer::kSilent);
  s.pair.recv->peerIs(Comm::Peer::kSilent);
}

TEST(Repair, WithoutTcpDataGoOn) {
  Scene s("[]", 2, 1 << 18, {.watchdog = 100 * kMs, .noPath = 300 * kMs});
  s.runUntil(10 * kMs);
  cutTcp(s);
  s.runUntil(1'000 * kMs);
  EXPECT_TRUE(s.stream.ok()) << s.stream.error();
  EXPECT_EQ(s.pair.send->livePaths(), 0b11u);
}

TEST(Repair, WithoutTcpARailThatFailsEndsBothEnds) {
  Scene s(R"([{"at": "20ms", "do": "black_hole", "target": "b/emu1"}])", 2, 1 << 18,
          {.watchdog = 100 * kMs, .noPath = 300 * kMs});
  s.runUntil(10 * kMs);
  cutTcp(s);
  s.runUntil(500 * kMs);
  for (int i = 0; i < 500; i++) {
    s.control.turn();
    s.rig.sim().run(kMs);
  }
  for (const std::string& error : {s.pair.send->error(), s.pair.recv->error()})
    EXPECT_NE(error.find("does not answer on the control channel"), std::string::npos) << error;
}

// Nobody sends: only the empty WRITEs find out that the peer's host is gone.
TEST(Repair, WithoutTcpAPeerThatIsGoneIsFoundOut) {
  Scene s(R"([{"at": "20ms", "do": "black_hole", "target": "a"}])", 2, 1 << 18,
          {.watchdog = 100 * kMs, .noPath = 300 * kMs});
  s.stream.stopAfter(4);
  s.runUntil(10 * kMs);
  cutTcp(s);
  s.runUntil(1'500 * kMs);
  for (const std::string& error : {s.pair.send->error(), s.pair.recv->error()})
    EXPECT_NE(error.find("its control channel has timed out"), std::string::npos) << error;
}

// As Soft-RoCE was seen to do: no doorbell announces a receive, so that the marker comes back only when the state is
// set to ERR once more.
TEST(Repair, AReceiveThatNoDoorbellAnnouncesIsFlushed) {
  RigOptions options = Scene::optionsOf(R"([{"at": "5ms", "do": "port_down", "target": "a/emu1"}])", 2);
  options.profile = "rxe-6.12";
  Rig rig(options);
  CommPair pair(rig, repairOptions(rig, true), repairOptions(rig, false));
  ASSERT_TRUE(pair.status.ok()) << pair.status.message();
  Traffic stream(rig, pair, 1 << 18, 8, true);
  Control control(rig, pair);
  rig.sim().until([&] { return control.messages(MessageType::kFenced) > 0 || !stream.ok(); },
                  [&] {
                    const bool moved = stream.turn();
                    return control.turn() || moved;
                  },
                  1'000 * kMs);
  EXPECT_EQ(control.messages(MessageType::kFenced), 1u) << stream.error();
}

}  // namespace
}  // namespace polyrail::net
