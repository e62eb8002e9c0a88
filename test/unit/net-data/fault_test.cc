// SPDX-License-Identifier: Apache-2.0
// What goes wrong ends in an error that says what, and leaves nothing behind.
#include <gtest/gtest.h>

#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

struct End {
  std::string error;
  bool complete = false;
  std::string left;  // verbs objects
  size_t violations = 0;
};

End runWith(const std::string& faults, uint64_t messages = 30, size_t size = 200'000) {
  RigOptions options{.senderGbps = {50, 50}, .receiverGbps = {50, 50}};
  options.faults = faultList(faults);
  End end;
  auto rig = std::make_unique<Rig>(options);
  EXPECT_TRUE(rig->sim().status().ok()) << rig->sim().status().message();
  const std::string before = rig->sim().world().census.text();
  {
    CommPair pair(*rig);
    if (!pair.status.ok()) {
      end.error = pair.status.message();
    } else {
      Traffic stream(*rig, pair, size, 8, true);
      stream.stopAfter(messages);
      rig->sim().until([&] { return stream.received() == messages || !stream.ok(); }, [&] { return stream.turn(); },
                       10'000'000'000);
      end.complete = stream.received() == messages;
      end.error = stream.error();
    }
    pair.close();
  }
  rig->dropRegions();
  const std::string after = rig->sim().world().census.text();
  if (after != before) end.left = after + " instead of " + before;
  end.violations = rig->sim().world().memory().violations().size();
  return end;
}

// Makes the n-th call of one kind fail for every n until none is left to fail.
void everyCallOf(const std::string& call, const char* host, int step, int atLeast) {
  for (int n = 1;; n += step) {
    const End end = runWith(R"([{"on_call": ")" + call + R"(", "nth": )" + std::to_string(n) + R"(, "host": ")" +
                            host + R"(", "do": "fail", "errno": "ENOMEM"}])");
    EXPECT_EQ(end.left, "") << call << " number " << n << " on " << host;
    EXPECT_EQ(end.violations, 0u);
    if (end.complete) {
      EXPECT_GT(n, atLeast) << call << " on " << host << " was not called often enough for the test to mean anything";
      return;
    }
    EXPECT_NE(end.error, "") << call << " number " << n << " on " << host << " failed without a word";
  }
}

TEST(Faults, EveryControlVerbThatFails) {
  for (const char* host : {"a", "b"}) {
    everyCallOf("ibv_create_cq", host, 1, 2);
    everyCallOf("ibv_create_qp", host, 1, 2);
    everyCallOf("ibv_modify_qp", host, 1, 6);
    everyCallOf("ibv_reg_mr", host, 1, 4);
  }
}

TEST(Faults, EveryDataVerbThatFails) {
  everyCallOf("ibv_post_send", "a", 1, 30);
  everyCallOf("ibv_post_send", "b", 1, 10);
  everyCallOf("ibv_post_recv", "b", 1, 16);
}

TEST(Faults, CompletionErrorNamesRailPeerAndStatus) {
  const End end =
      runWith(R"([{"at": "50us", "do": "complete_with", "status": "REM_OP_ERR", "target": "a/emu1", "count": 1}])");
  EXPECT_FALSE(end.complete);
  EXPECT_NE(end.error.find("emu1:1 to emu1:1"), std::string::npos) << end.error;
  EXPECT_NE(end.error.find("status 11"), std::string::npos) << end.error;
  EXPECT_EQ(end.left, "");
}

TEST(Faults, DeadPeerEndsWhenRetriesRunOut) {
  const End end = runWith(R"([{"at": "50us", "do": "host_death", "target": "b"}])");
  EXPECT_FALSE(end.complete);
  EXPECT_NE(end.error, "");
  EXPECT_EQ(end.left, "");
}

TEST(Faults, LateWritesHurtNobody) {
  const End end =
      runWith(R"([{"at": "30us", "do": "late", "by": "5ms", "op": "write_imm", "target": "a/emu0", "count": 3},
                              {"at": "40us", "do": "late", "by": "5ms", "op": "write", "max": 4096, "target": "b/emu0", "count": 1}])");
  EXPECT_EQ(end.violations, 0u);
  EXPECT_EQ(end.left, "");
}

TEST(Faults, DataPlacedBackToFrontIsStillWhole) {
  const End end = runWith(R"([{"at": "0us", "do": "reorder", "op": "data", "target": "b/emu0", "count": 0},
                              {"at": "0us", "do": "reorder", "op": "data", "target": "b/emu1", "count": 0}])",
                          30, 3'000'000);
  EXPECT_TRUE(end.complete) << end.error;
}

// A path MTU of 256 makes a grant of eight requests three packets; they land last to first.
TEST(Faults, GrantsPlacedBackToFrontCountWhenWhole) {
  RigOptions options;
  options.segment = 256;
  options.mtu = IBV_MTU_256;
  options.faults =
      faultList(R"([{"at": "0us", "do": "reorder", "op": "write", "min": 300, "target": "a/emu0", "count": 0}])");
  Rig rig(options);
  CommPair pair(rig);
  ASSERT_TRUE(pair.status.ok()) << pair.status.message();
  Driver driver(rig, pair);
  for (int round = 0; round < 100; round++) {
    Request* r = driver.receive(std::vector<Want>(kGroup, {1, 100}));
    std::vector<Request*> sends;
    rig.sim().until(
        [&] {
          if (Request* s = driver.send(50, 1, 1)) sends.push_back(s);
          return sends.size() == kGroup;
        },
        10'000'000);
    ASSERT_EQ(sends.size(), kGroup);
    for (Request* s : sends) ASSERT_TRUE(driver.wait(true, s));
    ASSERT_TRUE(driver.wait(false, r));
  }
}

TEST(Faults, CondemnedCommEndsWhatIsNotDone) {
  Rig rig({});
  CommPair pair(rig);
  Driver driver(rig, pair);
  Request* done = driver.receive({{1, 8}});
  Request* open = driver.receive({{1, 8}});
  driver.pass(100'000);
  ASSERT_TRUE(driver.wait(true, driver.send(8, 1, 1)));
  driver.pass(100'000);
  EXPECT_FALSE(driver.done(false, open));
  pair.recv->condemn(Outcome::kRemoteError, "the peer died");
  pair.recv->condemn(Outcome::kInternalError, "too late");
  EXPECT_TRUE(driver.done(false, done)) << "what has arrived is still reported";
  EXPECT_FALSE(driver.done(false, open));
  EXPECT_EQ(driver.outcome, Outcome::kRemoteError);
  EXPECT_EQ(pair.recv->error(), "the peer died");
  EXPECT_EQ(driver.receive({{1, 8}}), nullptr);
  EXPECT_EQ(driver.outcome, Outcome::kRemoteError);
}

TEST(Faults, EndsWithTrafficUnderWayLeaveNothing) {
  for (const int64_t at : {0, 10'000, 50'000, 200'000}) {
    Rig rig({.senderGbps = {50, 50}, .receiverGbps = {50, 50}});
    const std::string before = rig.sim().world().census.text();
    {
      CommPair pair(rig);
      Traffic stream(rig, pair, 1 << 20, 8, false);
      rig.sim().until([&] { return rig.sim().now() >= at; }, [&] { return stream.turn(); }, 1'000'000'000);
    }
    rig.sim().run(10'000'000);
    rig.dropRegions();
    EXPECT_EQ(rig.sim().world().census.text(), before);
  }
}

}  // namespace
}  // namespace polyrail::net
