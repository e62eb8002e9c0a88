// SPDX-License-Identifier: Apache-2.0
// Messages of every size class arrive whole, in every form of fabric.
#include <gtest/gtest.h>

#include "test/unit/net-data/driver.h"
#include "test/unit/net-data/null_pair.h"
#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

void moves(const RigOptions& options, size_t size, uint64_t messages, unsigned slots = 8, bool outOfOrder = false) {
  Rig rig(options);
  CommOptions a = rig.options(true), b = rig.options(false);
  a.outOfOrder = b.outOfOrder = outOfOrder;
  CommPair pair(rig, a, b);
  ASSERT_TRUE(pair.status.ok()) << pair.status.message();
  EXPECT_LE(pair.mostCallsAtOnce, kVerbsPerCall);
  Traffic stream(rig, pair, size, slots, true);
  stream.stopAfter(messages);
  EXPECT_TRUE(rig.sim().until([&] { return stream.received() == messages || !stream.ok(); },
                              [&] { return stream.turn(); }, 10'000'000'000));
  EXPECT_TRUE(stream.ok()) << stream.error();
  EXPECT_EQ(stream.received(), messages);
  EXPECT_EQ(pair.recv->strays(), 0u);
  EXPECT_EQ(rig.sim().world().memory().violations().size(), 0u);
}

TEST(Traffic, EverySizeClassOnOneRail) {
  for (const size_t size : {0, 1, 8, 127, 128, 129, 4096, 65536, 65537, 1 << 20, (1 << 20) + 1, 5'000'001})
    moves({}, size, 12);
}

TEST(Traffic, EverySizeClassOnFourUnequalRails) {
  for (const size_t size : {0, 1, 8, 127, 128, 129, 4096, 65536, 65537, 1 << 20, (1 << 20) + 1, 5'000'001})
    moves({.senderGbps = {50, 50, 50, 12.5}, .receiverGbps = {50, 50, 50, 12.5}}, size, 12);
}

TEST(Traffic, LinksThatReorder) {
  for (const size_t size : {0, 8, 4096, 4097, 65537, 1'000'001})
    moves({.senderGbps = {50, 50}, .receiverGbps = {50, 50}}, size, 40, 8, true);
}

TEST(Traffic, InlineDataIsSentAsItWas) {
  Rig rig({});
  CommOptions sender = rig.options(true);
  sender.path.maxInline = 64;
  CommPair pair(rig, sender, rig.options(false));
  Driver driver(rig, pair);
  std::vector<Driver::Buffer*> buffers;
  Request* r = driver.receive({{1, 64}}, &buffers);
  driver.pass(100'000);
  Request* s = driver.send(64, 1, 3);
  EXPECT_TRUE(driver.wait(true, s));
  EXPECT_TRUE(driver.wait(false, r));
  EXPECT_TRUE(Driver::holds(*buffers[0], 64, 3));
}

TEST(Traffic, SmallMessagesPassLongOnesThatWait) {
  Rig rig({.senderGbps = {50, 50}, .receiverGbps = {50, 50}});
  CommPair pair(rig);
  Driver driver(rig, pair);
  Request* bulk = driver.receive({{1, 64 << 20}});
  Request* small = driver.receive({{2, 8}});
  driver.pass(100'000);
  Request* longSend = driver.send(64 << 20, 1, 3);
  Request* shortSend = driver.send(8, 2, 3);
  const int64_t start = rig.sim().now();
  EXPECT_TRUE(driver.wait(false, small));
  EXPECT_LT(rig.sim().now() - start, 500'000) << "not the 5 ms that the long one takes";
  EXPECT_TRUE(driver.wait(true, shortSend));
  EXPECT_TRUE(driver.wait(true, longSend));
  EXPECT_TRUE(driver.wait(false, bulk));
}

TEST(Traffic, ThousandsOfSlots) {
  moves({}, 8, 5000, 32);
  moves({.senderGbps = {50, 50}, .receiverGbps = {50, 50}}, 2000, 5000, 32);
}

// The generation has 15 bits: it wraps after every slot has been used 32,768 times.
TEST(Traffic, GenerationsWrap) {
  NullPair pair(1, 8);
  EXPECT_TRUE(pair.move(1'100'000, 32, 8));
}

}  // namespace
}  // namespace polyrail::net
