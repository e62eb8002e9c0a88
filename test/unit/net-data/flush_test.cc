// SPDX-License-Identifier: Apache-2.0
// A flush reads through every NIC that has carried data into GPU memory, whatever the caller says of sizes.
#include <gtest/gtest.h>

#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

struct Flush : testing::Test {
  Rig rig{{.senderGbps = {50, 50}, .receiverGbps = {50, 50}}};
  CommPair pair{rig, rig.options(true), withFlush()};
  Driver driver{rig, pair};
  CommOptions withFlush() {
    CommOptions o = rig.options(false);
    o.flush = true;
    return o;
  }
  void SetUp() override {
    ASSERT_TRUE(pair.status.ok()) << pair.status.message();
    EXPECT_LE(pair.mostCallsAtOnce, kVerbsPerCall);
  }
  int64_t posted() { return rig.sim().world().faults().calls(emu::Call::kPostSend, 1); }
  Driver::Buffer* deliver(size_t size, bool device) {
    std::vector<Driver::Buffer*> buffers;
    Request* r = driver.receive({{1, size}}, &buffers, device);
    driver.pass(100'000);
    Request* s = driver.send(size, 1, 5);
    EXPECT_TRUE(driver.wait(true, s));
    EXPECT_TRUE(driver.wait(false, r));
    return buffers[0];
  }
  Request* flush(Driver::Buffer* b) {
    rig.on(false);
    void* data = b->bytes.data();
    const MemoryKeys* keys = &b->keys;
    Request* request = nullptr;
    EXPECT_EQ(pair.recv->iflush(1, &data, &keys, &request), Outcome::kOk) << pair.recv->error();
    return request;
  }
};

TEST_F(Flush, NothingArrivedIsDone) {
  Driver::Buffer& b = driver.buffer(false, 10, -1, true);
  EXPECT_EQ(flush(&b), nullptr);
}

TEST_F(Flush, HostMemoryNeedsNone) { EXPECT_EQ(flush(deliver(100, false)), nullptr); }

TEST_F(Flush, SmallMessageReadsThroughItsRailOnly) {
  Driver::Buffer* b = deliver(100, true);
  const int64_t before = posted();
  Request* f = flush(b);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(posted() - before, 1);
  EXPECT_FALSE(driver.done(false, f));
  EXPECT_TRUE(driver.wait(false, f));
  EXPECT_TRUE(Driver::holds(*b, 100, 5));
  EXPECT_EQ(flush(b), nullptr) << "nothing came since";
}

TEST_F(Flush, LargeMessageReadsThroughEveryRail) {
  Driver::Buffer* b = deliver(1 << 20, true);
  const int64_t before = posted();
  Request* f = flush(b);
  EXPECT_EQ(posted() - before, 2);
  EXPECT_TRUE(driver.wait(false, f));
}

TEST_F(Flush, WhileOneIsUnderWayTheNextIsNotSkipped) {
  Driver::Buffer* b = deliver(1 << 20, true);
  Request* first = flush(b);
  Request* second = flush(b);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(driver.wait(false, second));
  EXPECT_TRUE(driver.wait(false, first));
}

TEST_F(Flush, EmptyBufferAtTheEndOfARegionIsReadInsideIt) {
  Driver::Buffer* b = deliver(1 << 20, true);
  void* data = b->bytes.data() + b->bytes.size();
  const MemoryKeys* keys = &b->keys;
  Request* request = nullptr;
  rig.on(false);
  ASSERT_EQ(pair.recv->iflush(1, &data, &keys, &request), Outcome::kOk);
  EXPECT_TRUE(driver.wait(false, request));
}

TEST_F(Flush, AsManyAsThereAreSlots) {
  for (unsigned round = 0; round < 3; round++) {
    Driver::Buffer* b = deliver(1 << 20, true);
    std::vector<Request*> flushes;
    for (unsigned i = 0; i < kSlots; i++) flushes.push_back(flush(b));
    for (Request* f : flushes) {
      ASSERT_NE(f, nullptr);
      EXPECT_TRUE(driver.wait(false, f));
    }
  }
}

}  // namespace
}  // namespace polyrail::net
