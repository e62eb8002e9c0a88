// SPDX-License-Identifier: Apache-2.0
// Both sides of the handshake in virtual time, over memory: what they bring about, and what bad peers get.
#include "net/connect/handshake.h"

#include <gtest/gtest.h>

#include "test/unit/net-connect/memory_stream.h"
#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

constexpr Secret kSecret{1, 2, 3};
constexpr int64_t kSecond = 1'000'000'000;

struct Ends {
  explicit Ends(RigOptions rails = {}) : rig(rails) {}

  HandshakeOptions options() {
    HandshakeOptions o;
    o.clock = &rig.sim().clock();
    o.timeoutNs = 5 * kSecond;
    o.greeting.host = "node";
    return o;
  }
  void start(const HandshakeOptions& sender, const HandshakeOptions& receiver, const Secret& shown = kSecret) {
    rig.on(true);
    send.emplace(sender, shown, Channel(streams.sender()), rig.options(true));
    rig.on(false);
    receive.emplace(receiver, kSecret, Channel(streams.receiver()));
  }
  bool sendTurn() {
    rig.on(true);
    const Result<bool> done = send->advance();
    if (!done.ok()) sendError = done.message();
    return done.ok() && done.value();
  }
  bool receiveTurn() {
    rig.on(false);
    const Result<bool> done = receive->served() ? receive->advance() : greet();
    if (!done.ok()) receiveError = done.message();
    return done.ok() && done.value();
  }
  Result<bool> greet() {
    Result<bool> greeted = receive->greet();
    if (greeted.ok() && greeted.value()) receive->serve(rig.options(false));
    if (!greeted.ok()) return greeted;
    return false;
  }
  // Until both are done, one fails, or time is up.
  void run() {
    bool sent = false, received = false;
    for (int i = 0; i < 20'000 && !(sent && received) && sendError.empty() && receiveError.empty(); i++) {
      sent = sent || sendTurn();
      received = received || receiveTurn();
      rig.sim().run(1'000'000);
    }
    connected = sent && received;
  }

  Rig rig;
  StreamPair streams;
  std::optional<SendHandshake> send;
  std::optional<ReceiveHandshake> receive;
  std::string sendError, receiveError;
  bool connected = false;
};

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
  EXPECT_NE(ends.sendError.find("5 s"), std::string::npos) << ends.sendError;
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

}  // namespace
}  // namespace polyrail::net
