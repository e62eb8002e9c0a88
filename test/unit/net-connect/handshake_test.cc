// SPDX-License-Identifier: Apache-2.0
// Both sides of the handshake in virtual time, over memory: what they bring about, and what bad peers get.
#include <gtest/gtest.h>

#include "test/emu/verbs/mlx5_double.h"
#include "test/unit/net-connect/ends.h"

namespace polyrail::net {
namespace {

TEST(HandshakeTest, ConnectsEveryShapeOfRails) {
  for (size_t n = 1; n <= 8; n += 1)
    for (size_t m = 1; m <= 8; m += 3) {
      RigOptions rails;
      rails.senderGbps.assign(n, 50);
      rails.receiverGbps.assign(m, 50);
      Ends ends(rails);
      ends.start(ends.options(), ends.options());
      ends.run();
      EXPECT_TRUE(ends.connected) << n << " x " << m << ": " << ends.sendError << ends.receiveError;
    }
}

// An older end has no such feature, or has failover off.
TEST(HandshakeTest, SiblingsAreKnownOnlyWhereBothEndsCanStandBy) {
  constexpr uint64_t kAll = kFeatureFailover | kFeatureStandby;
  for (const auto& [sender, receiver] :
       {std::pair<uint64_t, uint64_t>{kAll, kAll}, {kAll, kFeatureFailover}, {kFeatureFailover, kAll}, {0, kAll}}) {
    Ends ends({.senderGbps = {50, 50, 50}, .receiverGbps = {50, 50}});
    ends.siblings = true;
    HandshakeOptions one = ends.options(), other = ends.options();
    one.greeting.features = sender;
    other.greeting.features = receiver;
    ends.start(one, other);
    ends.run();
    ASSERT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
    const auto send = ends.send->takeComm();
    const auto receive = ends.receive->takeComm();
    const bool both = sender == kAll && receiver == kAll;
    EXPECT_EQ(send->ownRails(), 1u);
    EXPECT_EQ(receive->ownRails(), 1u);
    EXPECT_EQ(send->localRails().size(), both ? 3u : 1u);
    EXPECT_EQ(receive->localRails().size(), both ? 2u : 1u);
    EXPECT_EQ(send->livePaths(), 1u);
    EXPECT_LE(ends.mostVerbs, kVerbsPerCall);
  }
}

TEST(HandshakeTest, BearsBytesThatTrickle) {
  Ends ends;
  ends.streams.toReceiver->atOnce = ends.streams.toSender->atOnce = 1;
  HandshakeOptions patient = ends.options();
  ends.start(patient, patient);
  ends.run();
  EXPECT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
}

TEST(HandshakeTest, ASilentPeerIsNamedWithinTheDeadline) {
  Ends ends;
  ends.start(ends.options(), ends.options());
  while (ends.sendError.empty()) {
    ends.sendTurn();
    ends.rig.sim().run(100'000'000);
    ASSERT_LT(ends.rig.sim().now(), 6 * kSecond);
  }
  EXPECT_NE(ends.sendError.find("10.0.0.2:1"), std::string::npos) << ends.sendError;
  EXPECT_NE(ends.sendError.find("WELCOME"), std::string::npos) << ends.sendError;
  EXPECT_NE(ends.sendError.find("5000 ms"), std::string::npos) << ends.sendError;
  EXPECT_EQ(ends.send->outcome(), Outcome::kRemoteError);
}

TEST(HandshakeTest, AStrangerIsTurnedAway) {
  Ends ends;
  ends.start(ends.options(), ends.options(), Secret{9});
  ends.run();
  EXPECT_FALSE(ends.connected);
  EXPECT_NE(ends.receiveError.find("secret"), std::string::npos) << ends.receiveError;
  EXPECT_FALSE(ends.receive->served());
}

TEST(HandshakeTest, DifferentPoliciesAreRefusedOnBothEnds) {
  Ends ends;
  HandshakeOptions other = ends.options();
  other.greeting.policy = {1};
  ends.start(ends.options(), other);
  ends.run();
  ends.sendTurn();
  EXPECT_NE(ends.receiveError.find("policy"), std::string::npos) << ends.receiveError;
  EXPECT_NE(ends.sendError.find("POLYRAIL_POLICY_MISMATCH"), std::string::npos) << ends.sendError;
  EXPECT_EQ(ends.send->outcome(), Outcome::kInvalidUsage);
}

TEST(HandshakeTest, DifferentPoliciesMayBeAWarning) {
  Ends ends;
  HandshakeOptions here = ends.options(), there = ends.options();
  here.mismatchIsError = there.mismatchIsError = false;
  there.greeting.algo = "Ring";
  ends.start(here, there);
  ends.run();
  EXPECT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
  EXPECT_NE(ends.send->warning().find("NCCL_ALGO"), std::string::npos) << ends.send->warning();
}

TEST(HandshakeTest, AResetAtEveryByteIsAnError) {
  for (size_t bytes = 0; bytes < 600; bytes += 7)
    for (const bool toSender : {false, true}) {
      Ends ends;
      (toSender ? ends.streams.toSender : ends.streams.toReceiver)->resetAfter = bytes;
      ends.start(ends.options(), ends.options());
      ends.run();
      EXPECT_TRUE(ends.connected || !ends.sendError.empty() || !ends.receiveError.empty()) << bytes;
    }
}

// NCCL closes the listeners that it tried besides the one that got through; it asks about that one next.
TEST(HandshakeTest, AReceiverThatHangsUpIsBorneForAWhile) {
  for (const int turns : {0, 1, 3, 6}) {
    Ends ends;
    ends.start(ends.options(), ends.options());
    for (int i = 0; i < turns; i++) {
      ends.receiveTurn();
      ASSERT_FALSE(ends.sendTurn());
      ends.rig.sim().run(1'000'000);
    }
    ends.receive.reset();
    const int64_t closed = ends.rig.sim().now();
    while (ends.sendError.empty()) {
      ASSERT_FALSE(ends.sendTurn());
      ends.rig.sim().run(10'000'000);
      ASSERT_LT(ends.rig.sim().now(), closed + 3 * kSecond);
    }
    EXPECT_GE(ends.rig.sim().now(), closed + (ends.send->unreachable() ? 0 : 2 * kSecond)) << turns;
    EXPECT_EQ(ends.send->outcome(), Outcome::kRemoteError);
  }
}

TEST(HandshakeTest, GarbageIsAnError) {
  std::vector<std::vector<uint8_t>> bad{std::vector<uint8_t>(200, 0xff),
                                        std::vector<uint8_t>(200, 0),
                                        {'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1', '.', '1'},
                                        encode(Refused{"no"}),
                                        encode(Ready{}),
                                        encodeGoodbye()};
  for (const auto& bytes : bad) {
    Ends ends;
    ends.start(ends.options(), ends.options());
    ends.streams.toReceiver->bytes.assign(bytes.begin(), bytes.end());
    ends.receiveTurn();
    EXPECT_FALSE(ends.receiveError.empty()) << bytes.size();
    ends.streams.toSender->bytes.assign(bytes.begin(), bytes.end());
    ends.sendTurn();
    EXPECT_FALSE(ends.sendError.empty()) << bytes.size();
  }
}

// What each end's queue pairs use.
std::vector<Ece> eceOf(const std::vector<PathEnd>& paths) {
  std::vector<Ece> all;
  for (const PathEnd& p : paths) all.push_back(p.ece);
  return all;
}

class EceTest : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(OfTheEnds, EceTest,
                         testing::Combine(testing::Values(0u, 0x6u, 0x10000007u), testing::Values(0u, 0x3u, 0x8u)));

TEST_P(EceTest, BothEndsUseWhatBothCan) {
  const auto [sender, receiver] = GetParam();
  Ends ends({.senderGbps = {50, 50}, .receiverGbps = {50, 50}, .senderEce = sender, .receiverEce = receiver});
  ends.start(ends.options(), ends.options());
  ends.run();
  ASSERT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
  EXPECT_LE(ends.mostVerbs, kVerbsPerCall);
  const bool both = sender && receiver;
  const std::vector<Ece> wanted(2, both ? Ece{0x02c9, sender & receiver, 0} : Ece{});
  EXPECT_EQ(eceOf(ends.send->takeComm()->describe()), wanted);
  ends.rig.on(false);
  EXPECT_EQ(eceOf(ends.receive->takeComm()->describe()), wanted);
}

TEST(EceSetting, LeavesItOut) {
  for (const bool sender : {false, true}) {
    Ends ends({.senderEce = 7, .receiverEce = 7});
    (sender ? ends.senderEce : ends.receiverEce) = false;
    ends.start(ends.options(), ends.options());
    ends.run();
    ASSERT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
    EXPECT_EQ(eceOf(ends.send->takeComm()->describe()), std::vector<Ece>(1));
    ends.rig.on(false);
    EXPECT_EQ(eceOf(ends.receive->takeComm()->describe()), std::vector<Ece>(1));
  }
}

// The cables of a sender's queue pairs, in their order.
std::vector<int> cablesOf(const SendComm& comm) {
  std::vector<int> cables;
  for (const PathEnd& p : comm.describe()) cables.push_back(emu::mlx5Double.lagPort[p.queuePair]);
  return cables;
}

class BondTest : public testing::Test {
 protected:
  // A connection with two queue pairs on a bond of `cables`.
  std::vector<int> connect(uint8_t cables) {
    Ends ends({.senderEce = 7, .receiverEce = 7});
    ends.senderPlacement = {cables, mlx5_.modifyQpLagPort, &slaves_};
    HandshakeOptions several = ends.options();
    several.pairing.queuePairs = 2;
    ends.start(several, several);
    ends.run();
    EXPECT_TRUE(ends.connected) << ends.sendError << ends.receiveError;
    EXPECT_LE(ends.mostVerbs, kVerbsPerCall);
    return cablesOf(*ends.send->takeComm());
  }
  const Mlx5 mlx5_ = emu::emulatedMlx5();
  Slaves slaves_;
};

TEST_F(BondTest, QueuePairsOfAConnectionLeaveByDifferentCables) {
  EXPECT_EQ(connect(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(connect(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(slaves_.takeError(), 0);
}

TEST_F(BondTest, TheNextConnectionGoesOnWhereTheLastEnded) {
  EXPECT_EQ(connect(3), (std::vector<int>{1, 2}));
  EXPECT_EQ(connect(3), (std::vector<int>{3, 1}));
  EXPECT_EQ(connect(3), (std::vector<int>{2, 3}));
}

TEST_F(BondTest, ARefusalIsKeptToBeSaidAndTheConnectionServes) {
  emu::mlx5Double.lagError = EOPNOTSUPP;
  EXPECT_EQ(connect(2), (std::vector<int>{0, 0}));
  EXPECT_EQ(slaves_.takeError(), EOPNOTSUPP);
  EXPECT_EQ(slaves_.takeError(), 0) << "once";
}

TEST_F(BondTest, WithoutABondNothingIsPlaced) { EXPECT_EQ(connect(0), (std::vector<int>{0, 0})); }

}  // namespace
}  // namespace polyrail::net
