// SPDX-License-Identifier: Apache-2.0
#include "net/wire/message.h"

#include <gtest/gtest.h>

#include <random>

namespace polyrail::net {
namespace {

RailInfo someRail(uint8_t n) {
  RailInfo rail;
  rail.guid = 0x1122334455667700u + n;
  rail.gid[15] = n;
  rail.mtu = 5;
  rail.speedMbps = 400000;
  rail.rail = n;
  rail.name = "mlx5_" + std::to_string(n) + ":1";
  return rail;
}

PathEnd somePath(uint8_t n) {
  return {n, n, 0xabcd00u + n, 0x123456, {0x7f0000001000u, 77}, {0x7f0000002000u, 78}, 512};
}

Hello someHello() {
  Hello m;
  m.secret[0] = 1;
  m.policy[31] = 9;
  m.features = kFeatureFailover;
  m.tunerPlugin = "polyrail";
  m.host = "node17";
  m.process = 4242;
  m.trafficClass = 104;
  m.rails = {someRail(0), someRail(1)};
  return m;
}

Welcome someWelcome() {
  Welcome m;
  m.version = 1;
  m.rails = {someRail(0), someRail(1)};
  m.paths = {somePath(0), somePath(1)};
  return m;
}

std::span<const uint8_t> body(const std::vector<uint8_t>& message) {
  return std::span(message).subspan(kFrameHeader);
}

TEST(Message, EveryMessageComesBackEqual) {
  EXPECT_EQ(decodeHello(body(encode(someHello()))).value(), someHello());
  EXPECT_EQ(decodeWelcome(body(encode(someWelcome()))).value(), someWelcome());
  Welcome standing = someWelcome();
  standing.features = kFeatureStandby;
  standing.standbys = {someRail(2)};
  EXPECT_EQ(decodeWelcome(body(encode(standing))).value(), standing);
  EXPECT_EQ(decodeRefused(body(encode(Refused{"no"}))).value(), Refused{"no"});
  const Paths paths{{somePath(0)}};
  EXPECT_EQ(decodePaths(body(encode(paths))).value(), paths);
  EXPECT_EQ(decodeReady(body(encode(Ready{}))).value(), Ready{});
}

TEST(Message, TheFrameSaysTypeAndLength) {
  const std::vector<uint8_t> bytes = encode(someHello());
  const Frame frame = decodeFrame(std::span(bytes).first(kFrameHeader)).value();
  EXPECT_EQ(frame.type, MessageType::kHello);
  EXPECT_EQ(frame.bodyBytes, bytes.size() - kFrameHeader);
}

TEST(Message, BytesAreLittleEndianWhateverTheMachine) {
  const std::vector<uint8_t> bytes = encode(Refused{"x"});
  EXPECT_EQ(bytes, (std::vector<uint8_t>{2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 'x'}));
}

TEST(Message, CutAtAnyByteOrTooLongIsMalformed) {
  const std::vector<uint8_t> bytes = encode(someWelcome());
  for (size_t n = 0; n < body(bytes).size(); n++) EXPECT_FALSE(decodeWelcome(body(bytes).first(n)).ok()) << n;
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(decodeWelcome(body(longer)).ok());
}

TEST(Message, ValuesOutOfRangeAreMalformed) {
  Welcome beyond = someWelcome();
  beyond.paths[0].receiverRail = 2;  // there are two rails: 0 and 1
  EXPECT_FALSE(decodeWelcome(body(encode(beyond))).ok());
  Welcome psn = someWelcome();
  psn.paths[0].firstPsn = 1u << 24;
  EXPECT_FALSE(decodeWelcome(body(encode(psn))).ok());
  Welcome standbys = someWelcome();
  standbys.features = kFeatureStandby;
  standbys.standbys.assign(kMaxRails - 1, someRail(2));  // one more than there is room for beside the own two
  EXPECT_FALSE(decodeWelcome(body(encode(standbys))).ok());
  Hello mtu = someHello();
  mtu.rails[0].mtu = 6;
  EXPECT_FALSE(decodeHello(body(encode(mtu))).ok());
  Hello many = someHello();
  many.rails.resize(kMaxRails + 1, someRail(2));
  EXPECT_FALSE(decodeHello(body(encode(many))).ok());
  Hello none = someHello();
  none.rails.clear();
  EXPECT_FALSE(decodeHello(body(encode(none))).ok());
}

TEST(Message, StrangersAreToldApart) {
  const std::string http = "GET / HTTP/1.1\r\n";
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(http.data()), kFrameHeader);
  EXPECT_FALSE(decodeFrame(bytes).ok());
  std::vector<uint8_t> hello = encode(someHello());
  hello[kFrameHeader] ^= 1;
  const auto wrong = decodeHello(body(hello));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("not a polyrail"), std::string::npos);
}

TEST(Message, RandomBytesNeverCrash) {
  std::mt19937 random(1);
  const std::vector<uint8_t> good = encode(someWelcome());
  for (int i = 0; i < 20000; i++) {
    std::vector<uint8_t> bytes = good;
    for (int n = 0; n < 4; n++)
      bytes[kFrameHeader + random() % (bytes.size() - kFrameHeader)] = static_cast<uint8_t>(random());
    const auto decoded = decodeWelcome(body(bytes));
    if (!decoded.ok()) continue;
    EXPECT_EQ(decodeWelcome(body(encode(decoded.value()))).value(), decoded.value());
  }
}

}  // namespace
}  // namespace polyrail::net
