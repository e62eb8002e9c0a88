// SPDX-License-Identifier: Apache-2.0
// The connection of the two ends, and what a stranger may do to it.
#include "cli/perf/control.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "cli/perf/patience.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ControlTest : testing::Test {
  ControlTest() : control(open()) {}
  ~ControlTest() override { hangUp(); }
  int open() {
    int sockets[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    peer = sockets[1];
    return sockets[0];
  }
  void say(const std::string& text) {
    EXPECT_EQ(::send(peer, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void hangUp() {
    if (peer >= 0) ::close(peer);
    peer = -1;
  }
  std::string errorAfter(const std::string& text) {
    say(text);
    const Result<Json> value = control.receive(5);
    return value.ok() ? "" : value.message();
  }
  static bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

  int peer = -1;
  Control control;
};

TEST_F(ControlTest, LinesArriveOneByOneHoweverTheyAreCut) {
  say("{\"a\":1}\n{\"b\"");
  EXPECT_EQ(control.receive(5).value()["a"], 1);
  say(":2}\n");
  EXPECT_EQ(control.receive(5).value()["b"], 2);
}

TEST_F(ControlTest, WhatIsSaidIsOneLine) {
  ASSERT_TRUE(control.send({{"text", "a\nb\xff"}}).ok());  // no UTF-8, too
  char bytes[100];
  const ssize_t n = ::recv(peer, bytes, sizeof bytes, 0);
  const std::string line(bytes, static_cast<size_t>(n));
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
}

TEST_F(ControlTest, StrangersAreNamed) {
  EXPECT_TRUE(has(errorAfter("GET / HTTP/1.1\n"), "no polyrail perf"));
  EXPECT_TRUE(has(errorAfter("[1,2]\n"), "no polyrail perf"));
  EXPECT_TRUE(has(errorAfter(std::string(1, '\0') + "\n"), "no polyrail perf"));
}

TEST_F(ControlTest, ALineWithoutEndIsRefused) {
  const std::string some(4000, 'x');
  Status status;
  for (int i = 0; i < 1000 && status.ok(); i++) {
    say(some);
    status = control.check();
  }
  EXPECT_TRUE(has(status.message(), "without end")) << status.message();
  EXPECT_TRUE(has(control.receive(5).message(), "without end"));
}

TEST_F(ControlTest, TheErrorOfTheOtherEndIsOurs) {
  EXPECT_TRUE(has(errorAfter("{\"error\":\"no NIC\"}\n"), "the other end: no NIC"));
}

TEST_F(ControlTest, TheErrorIsFoundBehindAnAnswer) {
  say("{\"ready\":true}\n{\"error\":\"no NIC\"}\n");
  EXPECT_TRUE(has(control.check().message(), "the other end: no NIC"));
}

// Who writes to an end that has given up learns why, and not that the pipe is broken.
TEST_F(ControlTest, WhyTheOtherEndHasGoneIsReadWhenNothingCanBeSent) {
  say("{\"ready\":true}\n{\"error\":\"no NIC\"}\n");
  hangUp();
  const Status status = control.send({{"do", "bye"}});
  EXPECT_TRUE(has(status.message(), "the other end: no NIC")) << status.message();
}

TEST_F(ControlTest, AnEndThatHasGoneWithoutAWordIsABrokenPipe) {
  say("{\"ready\":true}\n");
  hangUp();
  EXPECT_TRUE(has(control.send({{"do", "bye"}}).message(), "Broken pipe"));
}

TEST_F(ControlTest, SilenceAndDepartureAreTold) {
  EXPECT_TRUE(has(control.receive(0.05).message(), "silent for 0.05 s"));
  EXPECT_TRUE(control.check().ok());
  hangUp();
  EXPECT_FALSE(control.check().ok());
  EXPECT_TRUE(has(control.receive(5).message(), "closed"));
  EXPECT_FALSE(control.send({{"a", 1}}).ok());
}

TEST_F(ControlTest, PatienceEnds) {
  Patience patience(control, 0.2);
  Status status;
  for (int i = 0; i < 100'000'000 && (status = patience.idle()).ok(); i++) {
  }
  EXPECT_TRUE(has(status.message(), "nothing moved for 200 ms")) << status.message();
}

TEST_F(ControlTest, PatienceSeesThatTheOtherEndGaveUp) {
  Patience patience(control, 60);
  say("{\"error\":\"out of memory\"}\n");
  Status status;
  for (int i = 0; i < 100'000'000 && (status = patience.idle()).ok(); i++) {
  }
  EXPECT_TRUE(has(status.message(), "out of memory")) << status.message();
}

TEST(ControlDoorTest, ACallerComesIn) {
  Result<ControlDoor> door = ControlDoor::open(0);
  ASSERT_TRUE(door.ok()) << door.message();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Result<Control> caller = Control::dial(host, door.value().port());
    ASSERT_TRUE(caller.ok()) << caller.message();
    Result<Control> called = door.value().admit();
    ASSERT_TRUE(called.ok()) << called.message();
    ASSERT_TRUE(caller.value().send({{"hello", 1}}).ok());
    EXPECT_EQ(called.value().receive(5).value()["hello"], 1);
  }
  EXPECT_FALSE(ControlDoor::open(door.value().port()).ok());
}

TEST(ControlDoorTest, AHostThatIsNoneIsNamed) {
  const Result<Control> nobody = Control::dial("no such host", 1);
  ASSERT_FALSE(nobody.ok());
  EXPECT_NE(nobody.message().find("no such host: "), std::string::npos);
}

// One whose packets are dropped: here the queue of a door that nobody minds is full.
TEST(ControlDoorTest, AHostThatDoesNotAnswerIsGivenUp) {
  const int door = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(door, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(door, 0), 0);
  getsockname(door, reinterpret_cast<sockaddr*>(&address), &length);
  int callers[4];
  for (int& c : callers) {
    c = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void)::connect(c, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  const RealClock clock;
  const int64_t start = clock.nowNs();
  const Result<Control> nobody = Control::dial("127.0.0.1", ntohs(address.sin_port));
  ASSERT_FALSE(nobody.ok());
  EXPECT_NE(nobody.message().find("Connection timed out; start `polyrail perf` there first"), std::string::npos)
      << nobody.message();
  EXPECT_LT(clock.nowNs() - start, 30'000'000'000);
  for (const int c : callers) ::close(c);
  ::close(door);
}

}  // namespace
}  // namespace polyrail::cli
