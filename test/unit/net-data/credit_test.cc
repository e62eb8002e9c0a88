// SPDX-License-Identifier: Apache-2.0
// Receives never run out at the receiver, whatever it does or does not poll; and a path takes no more than its
// window.
#include <gtest/gtest.h>

#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

constexpr unsigned kAll = kSlots * kGroup;

TEST(Credit, ReceiverThatDoesNotPollIsNeverOverrun) {
  Rig rig({});
  rig.sim().world().trace.keepText(true);
  CommPair pair(rig);
  Driver driver(rig, pair);
  std::vector<Request*> receives, sends;
  for (unsigned s = 0; s < kSlots; s++) {
    receives.push_back(driver.receive(std::vector<Want>(kGroup, {1, 8})));
    ASSERT_NE(receives.back(), nullptr);
  }
  driver.pass(1'000'000);
  for (unsigned i = 0; i < kAll; i++) {
    Request* s = driver.send(8, 1, static_cast<int>(i));
    ASSERT_NE(s, nullptr) << "credit must not decide whether a send is taken";
    sends.push_back(s);
  }
  // All credit is used, the receiver has polled nothing: half of the messages wait, and nobody is refused.
  for (int i = 0; i < 5; i++) {
    driver.pass(1'000'000);
    EXPECT_FALSE(driver.done(true, sends[kAll - 1]));
  }
  unsigned done = 0;
  for (unsigned i = 0; i < kAll - 1; i++) done += driver.done(true, sends[i]);
  EXPECT_EQ(done, 128u);
  EXPECT_EQ(receiverNotReady(rig), 0);
  int sent = 0;
  for (Request* r : receives)
    EXPECT_TRUE(rig.sim().until(
        [&] {
          pair.send->test(*sends[kAll - 1], &sent, nullptr);
          return driver.done(false, r);
        },
        1'000'000'000));
  EXPECT_EQ(receiverNotReady(rig), 0);
}

TEST(Credit, LongMessagesNeedTheCreditLine) {
  Rig rig({});
  rig.sim().world().trace.keepText(true);
  CommOptions sender = rig.options(true);
  sender.rails[0].maxMessage = 16 << 10;
  CommPair pair(rig, sender, rig.options(false));
  Driver driver(rig, pair);
  std::vector<Driver::Buffer*> buffers;
  const size_t size = 4 << 20;  // 256 chunks on one path, one grant
  Request* r = driver.receive({{1, size}}, &buffers);
  driver.pass(100'000);
  Request* s = driver.send(size, 1, 3);
  bool sent = false, received = false;
  EXPECT_TRUE(rig.sim().until(
      [&] {
        received = received || driver.done(false, r);
        sent = sent || driver.done(true, s);
        return sent && received;
      },
      10'000'000'000));
  EXPECT_TRUE(Driver::holds(*buffers[0], size, 3));
  EXPECT_EQ(receiverNotReady(rig), 0);
}

TEST(Credit, TwoRailsUnderLoadAreNeverRefused) {
  Rig rig({.senderGbps = {50, 10}, .receiverGbps = {10, 50}});
  rig.sim().world().trace.keepText(true);
  CommPair pair(rig);
  Traffic stream(rig, pair, 300'000, 32, true);
  stream.stopAfter(300);
  EXPECT_TRUE(rig.sim().until([&] { return stream.received() == 300 || !stream.ok(); }, [&] { return stream.turn(); },
                              5'000'000'000));
  EXPECT_TRUE(stream.ok()) << stream.error();
  EXPECT_EQ(receiverNotReady(rig), 0);
}

// Counters of 16 bits wrap within seconds. A credit line of long ago, or one that was never written, must not look
// new.
TEST(Credit, SurvivesEveryWrapOfItsCounters) {
  Rig rig({});
  rig.sim().world().trace.keepText(true);
  CommOptions sender = rig.options(true);
  sender.rails[0].maxMessage = 16 << 10;
  CommPair pair(rig, sender, rig.options(false));
  Traffic stream(rig, pair, 3 << 20, 8, false);  // 192 chunks a message: the credit line is asked for in each
  stream.stopAfter(800);                         // more than two wraps
  EXPECT_TRUE(rig.sim().until([&] { return stream.received() == 800 || !stream.ok(); }, [&] { return stream.turn(); },
                              60'000'000'000));
  EXPECT_TRUE(stream.ok()) << stream.error();
  EXPECT_EQ(receiverNotReady(rig), 0);
}

TEST(Credit, SmallMessagesWrapTheirCounters) {
  Rig rig({});
  rig.sim().world().trace.keepText(true);
  CommPair pair(rig);
  Traffic stream(rig, pair, 8, 32, false);
  stream.stopAfter(40'000);
  ASSERT_TRUE(rig.sim().until([&] { return stream.received() == 40'000 || !stream.ok(); },
                              [&] { return stream.turn(); }, 60'000'000'000));
  Driver driver(rig, pair);  // and now more than there is credit for, with nobody who polls
  std::vector<Request*> receives;
  for (unsigned s = 0; s < kSlots; s++) receives.push_back(driver.receive(std::vector<Want>(kGroup, {1, 8})));
  driver.pass(1'000'000);
  Request* last = nullptr;
  for (unsigned i = 0; i < kAll; i++) ASSERT_NE(last = driver.send(8, 1, static_cast<int>(i)), nullptr);
  for (int i = 0; i < 5; i++) {
    driver.pass(1'000'000);
    EXPECT_FALSE(driver.done(true, last));
  }
  EXPECT_EQ(receiverNotReady(rig), 0);
}

TEST(Window, WhatIsUnderWayIsBounded) {
  Rig rig({.senderGbps = {50, 50}, .receiverGbps = {50, 50}});
  CommPair pair(rig);
  Traffic stream(rig, pair, 4 << 20, 8, false);
  int64_t most = 0;
  rig.sim().until(
      [&] {
        for (unsigned p = 0; p < 2; p++) most = std::max(most, pair.send->scheduler().load(p).inFlight());
        return stream.received() >= 200;
      },
      [&] { return stream.turn(); }, 5'000'000'000);
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 2 << 20);  // of 16 MiB a path that are waiting
  stream.stopAfter(0);
}

}  // namespace
}  // namespace polyrail::net
