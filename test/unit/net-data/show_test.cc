// SPDX-License-Identifier: Apache-2.0
// What the two ends of a comm show of known traffic, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "net/telemetry/names.h"
#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

constexpr double kGbps = 80;  // 10 bytes a ns

template <typename Field>
uint64_t sum(const CommView& view, Field field) {
  return std::accumulate(view.paths.begin(), view.paths.end(), uint64_t{0},
                         [&](uint64_t n, const PathRecord& p) { return n + p.*field; });
}
uint64_t countOf(const LatencyHistogram& h) { return std::accumulate(h.begin(), h.end(), uint64_t{0}); }

struct Shown : testing::Test {
  void run(std::vector<double> gbps, size_t size, uint64_t messages) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = std::move(gbps);
    rig.emplace(o);
    pair.emplace(*rig);
    ASSERT_TRUE(pair->status.ok()) << pair->status.message();
    Traffic traffic(*rig, *pair, size, 8, false);
    traffic.stopAfter(messages);
    rig->sim().until([&] { return traffic.received() == messages || !traffic.ok(); }, [&] { return traffic.turn(); },
                     10'000'000'000);
    ASSERT_EQ(traffic.received(), messages) << traffic.error();
    for (int i = 0; i < 16; i++) rig->sim().run(1'000'000), traffic.turn();  // the last completions
    pair->send->show(&send);
    pair->recv->show(&recv);
  }
  std::optional<Rig> rig;
  std::optional<CommPair> pair;
  CommView send, recv;
};

TEST_F(Shown, BothEndsCountTheSameBytesAndChunks) {
  run({kGbps, kGbps / 2, kGbps}, 1 << 20, 500);
  EXPECT_EQ(send.comm.state, CommState::kOpen);
  EXPECT_EQ(send.comm.kind, CommKind::kSend);
  EXPECT_EQ(recv.comm.kind, CommKind::kReceive);
  ASSERT_EQ(send.paths.size(), 3u);
  EXPECT_EQ(sum(send, &PathRecord::bytes), uint64_t{500} << 20);
  EXPECT_EQ(sum(recv, &PathRecord::bytes), uint64_t{500} << 20);
  for (size_t p = 0; p < 3; p++) {
    EXPECT_EQ(send.paths[p].bytes, recv.paths[p].bytes);
    EXPECT_EQ(send.paths[p].phase, PathPhase::kLive);
    EXPECT_EQ(send.paths[p].rail, p);
    EXPECT_NE(send.paths[p].queuePair, 0u);
    EXPECT_EQ(send.paths[p].failures, 0u);
  }
  EXPECT_EQ(send.comm.requests, recv.comm.requests);
  EXPECT_TRUE(send.comm.hasTag);
}

TEST_F(Shown, RatesAreThoseOfTheRails) {
  run({kGbps, kGbps / 2}, 4 << 20, 500);
  EXPECT_NEAR(static_cast<double>(send.paths[0].rate), 10e9, 0.5e9);
  EXPECT_NEAR(static_cast<double>(send.paths[1].rate), 5e9, 0.5e9);
}

TEST_F(Shown, OnePathIsMeasuredToo) {
  run({kGbps}, 1 << 20, 1000);
  EXPECT_NEAR(static_cast<double>(send.paths[0].rate), 10e9, 1.5e9);
  EXPECT_EQ(send.paths[0].chunks, 1000u);
  EXPECT_EQ(recv.paths[0].chunks, 1000u);
  EXPECT_EQ(countOf(send.paths[0].latency), 8u);  // the first, and one of 128 after each
  EXPECT_GT(send.paths[0].latencyNs, 100'000u);   // a megabyte at least
}

TEST_F(Shown, SmallMessagesAreCountedAndSampled) {
  run({kGbps, kGbps}, 8, 2000);
  EXPECT_EQ(sum(send, &PathRecord::chunks), 2000u);
  EXPECT_EQ(sum(recv, &PathRecord::chunks), 2000u);
  EXPECT_GE(countOf(send.paths[0].latency) + countOf(send.paths[1].latency), 2u);
}

}  // namespace
}  // namespace polyrail::net
