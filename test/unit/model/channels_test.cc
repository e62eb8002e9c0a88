// SPDX-License-Identifier: Apache-2.0
// The channel rule against hand-worked points and against an oracle that deals work out channel by channel.
#include "tuner/channels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace polyrail::nccl {
namespace {

ChannelQuestion allReduce(Algorithm a, Protocol p, uint64_t bytes, int ranks, int pool) {
  ChannelQuestion q;
  q.algorithm = a;
  q.protocol = p;
  q.totalBytes = bytes;
  q.ranks = ranks;
  q.pool = pool;
  return q;
}

int running(ChannelQuestion q, int requested = 0) {
  q.requested = requested;
  return planChannels(q).running;
}

// 2 x 64 KiB of traffic at 32 KiB a channel: 4, whatever is asked for.
TEST(Channels, ARequestCannotPassTheTrafficCap) {
  const auto q = allReduce(Algorithm::kRing, Protocol::kSimple, 64 << 10, 8, 32);
  EXPECT_EQ(running(q, 16), 4);
  EXPECT_EQ(running(q, 3), 2) << "four cells over three channels are two cells each";
  EXPECT_EQ(leastBytesFor(q, 16), 15 * (16u << 10) + 1);
}

// 17 cells over 16 channels: two cells each, so nine channels.
TEST(Channels, OneCellTooManyNearlyHalvesThem) {
  auto q = allReduce(Algorithm::kRing, Protocol::kSimple, 256 << 10, 8, 16);
  EXPECT_EQ(running(q, 16), 16);
  q.totalBytes += 16 << 10;
  EXPECT_EQ(running(q, 16), 9);
  q.totalBytes = 512 << 10;
  EXPECT_EQ(running(q, 16), 16);
}

TEST(Channels, LlCountsItsFlagsFrom226AndTheMinimumDoubledIn229) {
  auto q = allReduce(Algorithm::kTree, Protocol::kLl, 16 << 10, 8, 32);
  EXPECT_EQ(running(q, 32), 4);
  q.version = 22809;
  EXPECT_EQ(running(q, 32), 8);
  q.version = 22501;
  EXPECT_EQ(running(q, 32), 2);
  q.version = 22203;
  EXPECT_EQ(running(q, 32), 32) << "no rule known: the limit";
}

TEST(Channels, GathersCountPerRankBytesAndEveryRanksTraffic) {
  ChannelQuestion q = allReduce(Algorithm::kRing, Protocol::kSimple, 1 << 20, 32, 16);
  q.collective = Collective::kAllGather;
  // Per rank 32 KiB; a cell is 32 KiB / 32 ranks = 1 KiB of it, 32 KiB of the whole.
  EXPECT_EQ(planChannels(q).bytesPerChannel, 32u << 10);
  EXPECT_EQ(running(q, 16), 16);
  q.totalBytes = 128 << 10;
  EXPECT_EQ(running(q, 16), 4);
}

TEST(Channels, ModelGivesRingLlFewerWithMoreRanks) {
  EXPECT_EQ(planChannels(allReduce(Algorithm::kRing, Protocol::kLl, 1 << 20, 32, 16)).model, 8);
  EXPECT_EQ(planChannels(allReduce(Algorithm::kRing, Protocol::kLl, 1 << 20, 4, 16)).model, 16);
  EXPECT_EQ(planChannels(allReduce(Algorithm::kRing, Protocol::kSimple, 1 << 10, 4, 16)).model, 1);
}

TEST(Channels, ASlowRingStartsFromFewerThreads) {
  auto q = allReduce(Algorithm::kRing, Protocol::kSimple, 64 << 10, 2, 8);
  EXPECT_EQ(planChannels(q).model, 2);
  q.slowRing = true;
  EXPECT_EQ(planChannels(q).model, 4);
}

TEST(Channels, PatIsNeverReducedByTheModel) {
  auto q = allReduce(Algorithm::kPat, Protocol::kSimple, 1, 16, 12);
  q.collective = Collective::kAllGather;
  EXPECT_EQ(planChannels(q).model, 12);
}

TEST(Channels, RequestsAreClampedToThePoolExceptForCollNet) {
  auto q = allReduce(Algorithm::kRing, Protocol::kSimple, 1 << 30, 16, 12);
  q.nodes = 2;
  EXPECT_EQ(running(q, 40), 12);
  q.algorithm = Algorithm::kCollNetChain;
  EXPECT_EQ(running(q, 40), 40);
  EXPECT_FALSE(planChannels(q).clamped);
  q.algorithm = Algorithm::kNvls;
  EXPECT_EQ(running(q, 40), 40);
  q.nodes = 1;
  EXPECT_EQ(running(q, 40), 16) << "one node: NVLS's own channels";
}

TEST(Channels, NvlsOnSeveralNodesIsBoundByThePoolFrom228) {
  auto q = allReduce(Algorithm::kNvls, Protocol::kSimple, 1 << 30, 16, 8);
  q.nodes = 2;
  EXPECT_EQ(planChannels(q).model, 8);
  q.version = 22707;
  EXPECT_EQ(planChannels(q).model, 16);
}

// 512 bytes x 640 threads x 8 heads = 2.5 MiB a channel, halved at 24, 12, 6 and 3 channels.
TEST(Channels, CollNetDirectWalksDownInStages) {
  auto q = allReduce(Algorithm::kCollNetDirect, Protocol::kSimple, 0, 64, 32);
  q.nodes = 8;
  q.collNetHeads = 8;
  for (const auto& [mib, expected] : {std::pair{100, 32}, {80, 32}, {79, 31}, {30, 23}, {20, 16}, {18, 14}, {4, 6}}) {
    q.totalBytes = static_cast<uint64_t>(mib) << 20;
    EXPECT_EQ(planChannels(q).model, expected) << mib << " MiB";
  }
  q.totalBytes = 1;
  EXPECT_EQ(planChannels(q).model, 1);
}

TEST(Channels, NothingRunsForNothing) {
  EXPECT_EQ(running(allReduce(Algorithm::kRing, Protocol::kLl, 0, 2, 4), 4), 0);
}

// Deals cells to channels one share at a time, as the scheduler does.
int dealt(uint64_t bytes, uint64_t cell, uint64_t traffic, int limit, int available) {
  uint64_t left = bytes / cell + (bytes % cell != 0);
  const uint64_t share =
      (std::max<uint64_t>(32 << 10, bytes * traffic) / static_cast<uint64_t>(limit) + 15) / 16 * 16;
  int channels = 0;
  while (left > 0 && channels < available) {
    for (uint64_t given = 0; given < share && left > 0; given += cell * traffic) left--;
    channels++;
  }
  return channels;
}

// NCCL's way down: one channel less while each would have too little.
int steppedDown(uint64_t bytes, int pool, uint64_t perChannel) {
  int channels = pool;
  while (bytes < static_cast<uint64_t>(channels) * perChannel && channels >= 2) channels--;
  return channels;
}

ChannelQuestion anyRingOrTree() {
  ChannelQuestion q;
  q.collective = *rc::gen::element(Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
                                   Collective::kBroadcast, Collective::kReduce);
  const bool tree = q.collective == Collective::kAllReduce && *rc::gen::arbitrary<bool>();
  q.algorithm = tree ? Algorithm::kTree : Algorithm::kRing;
  q.protocol = *rc::gen::element(Protocol::kLl, Protocol::kLl128, Protocol::kSimple);
  q.ranks = *rc::gen::inRange(2, 2049);
  q.pool = *rc::gen::inRange(1, 65);
  q.requested = *rc::gen::inRange(0, 65);
  const int shift = *rc::gen::inRange(0, 34);
  const uint64_t bytes = *rc::gen::inRange<uint64_t>(1, 2ull << shift);
  q.totalBytes = bytes * (keyedPerRank(q.collective) ? static_cast<uint64_t>(q.ranks) : 1);
  return q;
}

RC_GTEST_PROP(ChannelsProperty, EqualsDealingThemOut, ()) {
  const ChannelQuestion q = anyRingOrTree();
  const ChannelPlan plan = planChannels(q);
  const uint64_t ranks = static_cast<uint64_t>(q.ranks), scale = keyedPerRank(q.collective) ? ranks : 1;
  const uint64_t ll = q.protocol == Protocol::kLl ? 4 : 1;
  const uint64_t traffic = ll * (q.collective == Collective::kAllReduce ? 2 : scale);
  const uint64_t cell = ((32768 + traffic - 1) / traffic + 15) / 16 * 16;
  const uint64_t threads = q.protocol == Protocol::kLl128 ? 640 : 512;
  const bool ringLl = q.algorithm == Algorithm::kRing && q.protocol == Protocol::kLl;
  const uint64_t grain = q.protocol == Protocol::kSimple ? 64 : ringLl ? 8 * ranks : 8;
  const int model = steppedDown(q.totalBytes, q.pool, threads * grain);
  const int limit = std::min(q.requested > 0 ? q.requested : model, q.pool);
  RC_ASSERT(plan.model == model);
  RC_ASSERT(plan.limit == limit);
  RC_ASSERT(plan.running == dealt(q.totalBytes / scale, cell, traffic, limit, q.pool));
}

RC_GTEST_PROP(ChannelsProperty, ReachableIsWhatASearchFinds, ()) {
  ChannelQuestion q = anyRingOrTree();
  const int channels = *rc::gen::inRange(1, 65);
  const uint64_t cell = planChannels(q).bytesPerChannel;
  const uint64_t from = *rc::gen::inRange<uint64_t>(1, 300), count = *rc::gen::inRange<uint64_t>(0, 300);
  bool found = false;
  q.requested = channels;
  for (uint64_t cells = from; cells <= from + count; cells++) {
    q.totalBytes = cells * cell;
    found = found || planChannels(q).running == channels;
  }
  RC_ASSERT(channelsReachable(q, channels, from * cell, (from + count) * cell) == found);
}

RC_GTEST_PROP(ChannelsProperty, LeastBytesIsTheBoundary, ()) {
  ChannelQuestion q = anyRingOrTree();
  const int channels = *rc::gen::inRange(2, 65);
  RC_PRE(channels <= q.pool);
  q.requested = channels;
  q.totalBytes = leastBytesFor(q, channels);
  RC_ASSERT(planChannels(q).running == channels);
  q.totalBytes -= keyedPerRank(q.collective) ? static_cast<uint64_t>(q.ranks) : 1;
  RC_ASSERT(planChannels(q).running == channels - 1);
}

TEST(Version, ReadsWhatLogsPrint) {
  EXPECT_EQ(parseVersion("2.29.2"), 22902);
  EXPECT_EQ(parseVersion("2.29.2+cuda13.1"), 22902);
  EXPECT_EQ(parseVersion("2.18"), 21800);
  EXPECT_EQ(parseVersion("2.8.4"), 2804);
  for (const char* bad : {"", "2", "2.", "2.x", "1.3.4", "3.0.0", "2.29.2rc1", "2.29.2.1", "-2.3", "2.100.1"})
    EXPECT_EQ(parseVersion(bad), std::nullopt) << bad;
  EXPECT_EQ(versionText(22902), "2.29.2");
  EXPECT_EQ(versionText(2804), "2.8.4");
}

}  // namespace
}  // namespace polyrail::nccl
