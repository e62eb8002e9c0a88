// SPDX-License-Identifier: Apache-2.0
// What a wrong peer may say, in each place where a handshake listens: one error that names the peer and what was
// wrong, and nothing left behind.
#include <gtest/gtest.h>

#include "test/unit/net-connect/ends.h"

namespace polyrail::net {
namespace {

using Bytes = std::vector<uint8_t>;

// Who listens, for what.
enum class Place { kHello, kWelcome, kPaths, kReady };

struct BadWord {
  const char* name;
  Place place;
  Bytes bytes;           // then the peer hangs up
  const char* expected;  // in the error, besides the peer
};
void PrintTo(const BadWord& word, std::ostream* out) { *out << word.name; }

// Adds to the length that a message says it has.
Bytes lengthened(Bytes b, int by) {
  uint32_t length = 0;
  for (unsigned i = 0; i < 4; i++) length |= static_cast<uint32_t>(b[i]) << 8 * i;
  length += static_cast<uint32_t>(by);
  for (unsigned i = 0; i < 4; i++) b[i] = static_cast<uint8_t>(length >> 8 * i);
  return b;
}
Bytes header(int bodyBytes, MessageType type, uint8_t reserved = 0) {
  Bytes b = lengthened(encode(Ready{}), bodyBytes);
  b[4] = static_cast<uint8_t>(type);
  b[6] = reserved;
  return b;
}
Bytes text(std::string_view words) { return {words.begin(), words.end()}; }
// The connection breaks off.
Bytes cut(Bytes b, size_t bytes) {
  b.resize(bytes);
  return b;
}
// A whole message whose body lacks its end, or has more than that.
Bytes resized(Bytes b, int by) {
  b = lengthened(b, by);
  b.resize(b.size() + static_cast<size_t>(by));
  return b;
}

Hello hello() {
  Hello m;
  m.secret = kSecret;
  m.rails = {RailInfo{}};
  m.rails[0].mtu = IBV_MTU_4096;
  return m;
}
Welcome welcome() {
  Welcome m;
  m.version = kProtocolVersion;
  m.rails = hello().rails;
  m.paths = {PathEnd{}};
  return m;
}
template <typename M, typename Change>
Bytes with(M m, Change change) {
  change(m);
  return encode(m);
}

constexpr const char* kAlien = "not a polyrail message";
const BadWord kBadWords[] = {
    {"OversizeFrame", Place::kHello, header(70'000, MessageType::kHello), kAlien},
    {"UnknownType", Place::kHello, header(0, static_cast<MessageType>(99)), kAlien},
    {"ReservedBits", Place::kHello, header(0, MessageType::kHello, 1), kAlien},
    {"Http", Place::kHello, text("GET / HTTP/1.1\r\nHost: node\r\n\r\n"), kAlien},
    {"WrongSecret", Place::kHello, with(hello(), [](Hello& m) { m.secret = {9}; }), "secret"},
    {"ShortHello", Place::kHello, resized(encode(hello()), -5), "HELLO"},
    {"LongHello", Place::kHello, resized(encode(hello()), 5), "HELLO"},
    {"HelloCutOff", Place::kHello, cut(encode(hello()), 40), "hung up"},
    {"NoRails", Place::kHello, with(hello(), [](Hello& m) { m.rails.clear(); }), "HELLO"},
    {"NineRails", Place::kHello, with(hello(), [](Hello& m) { m.rails.resize(9, m.rails[0]); }), "HELLO"},
    {"TrafficClass", Place::kHello, with(hello(), [](Hello& m) { m.trafficClass = 999; }), "HELLO"},
    {"ReadyFirst", Place::kHello, encode(Ready{}), "in place of its HELLO"},
    {"GoodbyeFirst", Place::kHello, encodeGoodbye(), "in place of its HELLO"},
    {"VersionsUpsideDown", Place::kHello, with(hello(), [](Hello& m) { m.lowest = 9, m.highest = 1; }), "HELLO"},
    {"NewerVersions", Place::kHello, with(hello(), [](Hello& m) { m.lowest = 7, m.highest = 9; }), "versions 7 to 9"},
    {"OversizeWelcome", Place::kWelcome, header(0x7f000000, MessageType::kWelcome), kAlien},
    {"ShortWelcome", Place::kWelcome, resized(encode(welcome()), -3), "WELCOME"},
    {"WelcomeCutOff", Place::kWelcome, cut(encode(welcome()), 30), "hung up"},
    {"VersionNobodyOffered", Place::kWelcome, with(welcome(), [](Welcome& m) { m.version = 7; }), "version 7"},
    {"NoSuchRail", Place::kWelcome, with(welcome(), [](Welcome& m) { m.paths[0].senderRail = 5; }), "does not exist"},
    {"NoPaths", Place::kWelcome, with(welcome(), [](Welcome& m) { m.paths.clear(); }), "WELCOME"},
    {"HelloForWelcome", Place::kWelcome, encode(hello()), "in place of its WELCOME"},
    {"Refused", Place::kWelcome, encode(Refused{"the moon is full"}), "the moon is full"},
    {"RefusedBadly", Place::kWelcome, header(0, MessageType::kRefused), "refused"},
    {"OtherPaths", Place::kPaths, encode(Paths{{PathEnd{}, PathEnd{}}}), "not those of the plan"},
    {"ShortPaths", Place::kPaths, resized(encode(Paths{{PathEnd{}}}), -2), "PATHS"},
    {"HelloTwice", Place::kPaths, encode(hello()), "in place of its PATHS"},
    {"EndBeforePaths", Place::kPaths, {}, "hung up before its PATHS"},
    {"WelcomeTwice", Place::kReady, encode(welcome()), "in place of its READY"},
    {"ReadyWithABody", Place::kReady, resized(encode(Ready{}), 1), "READY"},
    {"RefusedAtTheEnd", Place::kReady, encode(Refused{"out of queue pairs"}), "out of queue pairs"},
    {"EndBeforeReady", Place::kReady, {}, "hung up before its READY"},
};

bool isSenders(Place place) { return place == Place::kWelcome || place == Place::kReady; }

// Brings the side that is tested to where it listens for what comes next.
void lead(Ends& ends, Place place) {
  ends.start(ends.options(), ends.options());
  if (place == Place::kHello) return;
  ends.sendTurn();
  if (place == Place::kWelcome) return;
  for (int i = 0; i < 200 && ends.streams.toSender->bytes.empty(); i++) {
    ends.receiveTurn();
    ends.rig.sim().run(1'000'000);
  }
  for (int i = 0; i < 200 && place == Place::kReady; i++) {
    ends.sendTurn();
    ends.rig.sim().run(1'000'000);
  }
}

class BadPeer : public testing::TestWithParam<BadWord> {};
INSTANTIATE_TEST_SUITE_P(Says, BadPeer, testing::ValuesIn(kBadWords),
                         [](const auto& word) { return std::string(word.param.name); });

TEST_P(BadPeer, IsNamedWithWhatIsWrong) {
  const BadWord& word = GetParam();
  Ends ends;
  const std::string before = ends.rig.sim().world().census.text();
  lead(ends, word.place);
  ASSERT_EQ(ends.sendError + ends.receiveError, "");
  const bool sender = isSenders(word.place);
  Pipe& pipe = sender ? *ends.streams.toSender : *ends.streams.toReceiver;
  pipe.bytes.assign(word.bytes.begin(), word.bytes.end());
  pipe.closed = true;
  std::string& error = sender ? ends.sendError : ends.receiveError;
  // A sender bears a receiver that hangs up for a while.
  for (int i = 0; i < 4 && error.empty(); i++) {
    sender ? ends.sendTurn() : ends.receiveTurn();
    ends.rig.sim().run(kSecond);
  }
  EXPECT_NE(error.find(sender ? "10.0.0.2:1" : "10.0.0.1:2"), std::string::npos) << error;
  EXPECT_NE(error.find(word.expected), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << "one line";
  ends.send.reset(), ends.receive.reset();
  EXPECT_EQ(ends.rig.sim().world().census.text(), before);
}

}  // namespace
}  // namespace polyrail::net
