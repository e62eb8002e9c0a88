// SPDX-License-Identifier: Apache-2.0
// A peer of a later version: what docs/versioning.md promises of two versions in one job before any message counts.
#include <gtest/gtest.h>

#include "test/unit/net-connect/ends.h"

namespace polyrail::net {
namespace {

// What the receiver answers to this HELLO.
Result<Welcome> answerTo(Ends& ends, const Hello& hello) {
  ends.start(ends.options(), ends.options());
  ends.streams.toReceiver->bytes = [&] {
    const std::vector<uint8_t> bytes = encode(hello);
    return std::deque<uint8_t>(bytes.begin(), bytes.end());
  }();
  std::deque<uint8_t>& answer = ends.streams.toSender->bytes;
  for (int i = 0; i < 200 && answer.empty() && ends.receiveError.empty(); i++) {
    ends.receiveTurn();
    ends.rig.sim().run(1'000'000);
  }
  if (answer.size() < kFrameHeader) return Status::error("no answer: " + ends.receiveError);
  const std::vector<uint8_t> body(answer.begin() + kFrameHeader, answer.end());
  return decodeWelcome(body);
}

TEST(HandshakeVersions, ALaterPeerIsMetAtTheHighestVersionBothKnowWithoutFeaturesOfItsOwn) {
  Ends ends;
  Hello later;
  later.secret = kSecret;
  later.lowest = kProtocolVersion, later.highest = kProtocolVersion + 8;
  later.features = ~uint64_t{0};
  later.rails = {RailInfo{}};
  later.rails[0].mtu = IBV_MTU_4096;
  const Result<Welcome> welcome = answerTo(ends, later);
  ASSERT_TRUE(welcome.ok()) << welcome.message();
  EXPECT_EQ(welcome.value().version, kProtocolVersion);
  EXPECT_EQ(welcome.value().features & ~uint64_t{kFeatureFailover | kFeatureOutOfOrder}, 0U);
}

}  // namespace
}  // namespace polyrail::net
