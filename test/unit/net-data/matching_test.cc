// SPDX-License-Identifier: Apache-2.0
// Which send meets which receive: by tag, oldest first, in groups of 1 to 8.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

struct Matching : testing::Test {
  Rig rig{{.senderGbps = {50, 50}, .receiverGbps = {50, 50}}};
  CommPair pair{rig};
  Driver driver{rig, pair};
  void SetUp() override { ASSERT_TRUE(pair.status.ok()) << pair.status.message(); }
};

TEST_F(Matching, NothingGrantedIsNoRequest) {
  EXPECT_EQ(driver.send(8, 1, 1), nullptr);
  EXPECT_EQ(driver.outcome, Outcome::kOk);
}

TEST_F(Matching, AnotherTagIsNoRequest) {
  Request* r = driver.receive({{5, 100}});
  driver.pass(100'000);
  EXPECT_EQ(driver.send(8, 4, 1), nullptr);
  Request* s = driver.send(8, 5, 1);
  ASSERT_NE(s, nullptr);
  EXPECT_TRUE(driver.wait(false, r));
  EXPECT_TRUE(driver.wait(true, s));
}

TEST_F(Matching, EveryGroupSizeInAnyOrder) {
  for (unsigned n = 1; n <= kGroup; n++) {
    std::vector<Want> wants;
    for (unsigned i = 0; i < n; i++) wants.push_back({static_cast<int>(i), 200'000});
    std::vector<Driver::Buffer*> buffers;
    Request* r = driver.receive(wants, &buffers);
    ASSERT_NE(r, nullptr);
    driver.pass(100'000);
    std::vector<Request*> sends;
    // 11 is prime to every n, so each tag comes once, in another order than it was granted.
    for (unsigned i = 0; i < n; i++) {
      const int tag = static_cast<int>((i * 11 + 1) % n);
      if (Request* s = driver.send(static_cast<size_t>(tag) * 20'001, tag, tag)) sends.push_back(s);
    }
    ASSERT_EQ(sends.size(), n);
    for (Request* s : sends) EXPECT_TRUE(driver.wait(true, s));
    std::vector<int> sizes;
    ASSERT_TRUE(driver.wait(false, r, &sizes));
    for (unsigned i = 0; i < n; i++) {
      EXPECT_EQ(sizes[i], static_cast<int>(i * 20'001));
      EXPECT_TRUE(Driver::holds(*buffers[i], i * 20'001, static_cast<int>(i)));
    }
  }
}

TEST_F(Matching, OneTagIsFirstInFirstOut) {
  std::vector<Driver::Buffer*> buffers;
  std::vector<Request*> receives, sends;
  for (int i = 0; i < 5; i++) receives.push_back(driver.receive({{9, 1000}}, &buffers));
  driver.pass(100'000);
  for (int i = 0; i < 5; i++) sends.push_back(driver.send(static_cast<size_t>(100 + i), 9, i));
  for (int i = 4; i >= 0; i--) {
    std::vector<int> sizes;
    ASSERT_TRUE(driver.wait(false, receives[static_cast<size_t>(i)], &sizes));
    EXPECT_EQ(sizes[0], 100 + i);
    EXPECT_TRUE(Driver::holds(*buffers[static_cast<size_t>(i)], static_cast<size_t>(100 + i), i));
  }
  for (Request* s : sends) EXPECT_TRUE(driver.wait(true, s));
}

TEST_F(Matching, SlotsRunOutAndComeBack) {
  std::vector<Request*> receives;
  for (unsigned i = 0; i < kSlots; i++) receives.push_back(driver.receive({{1, 10}}));
  EXPECT_EQ(driver.receive({{1, 10}}), nullptr);
  EXPECT_EQ(driver.outcome, Outcome::kOk);
  driver.pass(100'000);
  Request* s = driver.send(10, 1, 1);
  ASSERT_TRUE(driver.wait(false, receives[0]));
  Request* again = driver.receive({{1, 10}});
  EXPECT_NE(again, nullptr);
  driver.pass(100'000);
  for (unsigned i = 1; i < kSlots; i++) EXPECT_TRUE(driver.wait(true, driver.send(10, 1, 1)));
  // The first send was not tested: its entry is in use, so the new grant waits until it is.
  EXPECT_EQ(driver.send(10, 1, 1), nullptr);
  EXPECT_TRUE(driver.wait(true, s));
  EXPECT_TRUE(driver.wait(true, driver.send(10, 1, 1)));
}

TEST_F(Matching, TooLongIsAnErrorOnBothEnds) {
  Request* r = driver.receive({{3, 100}});
  driver.pass(100'000);
  EXPECT_EQ(driver.send(101, 3, 1), nullptr);
  EXPECT_EQ(driver.outcome, Outcome::kInvalidUsage);
  EXPECT_NE(pair.send->error().find("101 bytes met a receive of 100"), std::string::npos);
  EXPECT_FALSE(driver.wait(false, r));
  EXPECT_EQ(driver.outcome, Outcome::kInvalidUsage);
  EXPECT_NE(pair.recv->error().find("101 bytes met a receive of 100"), std::string::npos);
}

TEST_F(Matching, OptionalCompletionIsANormalReceive) {
  Driver::Buffer& b = driver.buffer(false, 64, -1);
  void* data = b.bytes.data();
  const size_t capacity = 64;
  const int tag = 2;
  const MemoryKeys* keys = &b.keys;
  Request* request = reinterpret_cast<Request*>(1);
  ASSERT_EQ(pair.recv->irecv(1, &data, &capacity, &tag, &keys, &request), Outcome::kOk);
  ASSERT_NE(request, reinterpret_cast<Request*>(1));
  EXPECT_FALSE(driver.done(false, request));
  driver.pass(100'000);
  Request* s = driver.send(64, 2, 4);
  EXPECT_TRUE(driver.wait(false, request));
  EXPECT_TRUE(Driver::holds(b, 64, 4));
  EXPECT_TRUE(driver.wait(true, s));
}

// Random groups, tags and sizes against a queue for each tag.
TEST_F(Matching, AgreesWithAQueueForEachTag) {
  struct Expected {
    size_t receive, request;
  };
  struct Receive {
    Request* request;
    std::vector<Driver::Buffer*> buffers;
    std::vector<size_t> sizes;
    std::vector<int> seeds;
  };
  std::mt19937 rng(7);
  std::vector<Receive> receives;
  std::map<int, std::deque<Expected>> open;
  std::deque<Request*> sends;
  size_t reported = 0;
  for (int i = 0; i < 1500; i++) {
    if (rng() % 3 == 0) {
      Receive receive{nullptr, {}, {}, {}};
      std::vector<Want> wants;
      for (unsigned n = 1 + rng() % kGroup; n; n--) wants.push_back({static_cast<int>(rng() % 4), 3000});
      receive.request = driver.receive(wants, &receive.buffers);
      if (receive.request) {
        for (size_t w = 0; w < wants.size(); w++) open[wants[w].tag].push_back({receives.size(), w});
        receive.sizes.resize(wants.size());
        receive.seeds.assign(wants.size(), -2);
        receives.push_back(receive);
      }
      driver.pass(20'000);
    }
    const int tag = static_cast<int>(rng() % 4);
    const size_t size = rng() % 3000;
    Request* s = driver.send(size, tag, i);
    if (s) {
      ASSERT_FALSE(open[tag].empty());
      const Expected e = open[tag].front();
      open[tag].pop_front();
      receives[e.receive].sizes[e.request] = size;
      receives[e.receive].seeds[e.request] = i;
      sends.push_back(s);
    }
    while (!sends.empty() && driver.done(true, sends.front())) sends.pop_front();
    while (reported < receives.size()) {
      int sizes[kGroup];
      Receive& r = receives[reported];
      if (!driver.done(false, r.request, sizes)) break;
      for (size_t w = 0; w < r.sizes.size(); w++) {
        ASSERT_EQ(sizes[w], static_cast<int>(r.sizes[w]));
        ASSERT_TRUE(Driver::holds(*r.buffers[w], r.sizes[w], r.seeds[w]));
      }
      reported++;
    }
  }
  EXPECT_GT(reported, 100u);
}

}  // namespace
}  // namespace polyrail::net
