// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/hints.h"

#include <gtest/gtest.h>

#include <climits>

namespace polyrail::net {
namespace {

TEST(Hints, UpToFourPeersChangeNothing) {
  for (const int peers : {INT_MIN, nccl::kNetUndefined, 0, 1, 2, 4}) EXPECT_EQ(largestChunkFor(peers), kMaxChunk);
}

TEST(Hints, MorePeersShareWhatFourHave) {
  EXPECT_EQ(largestChunkFor(8), kMaxChunk / 2);
  EXPECT_EQ(largestChunkFor(16), kMaxChunk / 4);
  EXPECT_EQ(largestChunkFor(64), kMinChunk);
}

TEST(Hints, EveryAnswerIsAChunkThatCuttingTakes) {
  size_t before = kMaxChunk;
  for (int peers = 1; peers > 0 && peers < INT_MAX / 2; peers += 1 + peers / 7) {
    const size_t largest = largestChunkFor(peers);
    ASSERT_EQ(largest % kChunkGrain, 0u);
    ASSERT_GE(largest, kMinChunk);
    ASSERT_LE(largest, before);
    before = largest;
  }
  EXPECT_EQ(largestChunkFor(INT_MAX), kMinChunk);
}

TEST(Hints, TheLastWordCounts) {
  Hints hints;
  const auto largest = hints.largestChunk();
  EXPECT_EQ(largest->load(), kMaxChunk);
  nccl::NetAttr attributes{};
  attributes.sendCommAttr = {32, 32, 1, 1};
  hints.note(attributes);
  EXPECT_EQ(largest->load(), kMaxChunk / 8);
  attributes.sendCommAttr = {64, 1, 2, 1};  // before a connection: one to 64 peers
  hints.note(attributes);
  EXPECT_EQ(largest->load(), kMaxChunk);
}

}  // namespace
}  // namespace polyrail::net
