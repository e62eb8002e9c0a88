// SPDX-License-Identifier: Apache-2.0
#include "net/schedule/chunking.h"

#include <gtest/gtest.h>

namespace polyrail::net {
namespace {

constexpr size_t kRail = size_t{1} << 30;

TEST(Chunking, HoldsItsPromisesForEverySizeAndNumberOfPaths) {
  for (size_t paths = 1; paths <= 24; paths++)
    for (size_t size = 1; size <= size_t{200} << 30; size = size * 5 / 4 + 1) {
      const size_t chunk = chunkBytesFor(size, paths, kRail);
      const uint32_t count = chunkCountFor(size, chunk);
      ASSERT_EQ(chunk % kChunkGrain, 0u);
      ASSERT_LE(chunk, kRail);
      ASSERT_GE(count, 1u);
      ASSERT_LE(count, kMaxChunks) << size << " over " << paths;
      ASSERT_LT((count - 1) * chunk, size);
      ASSERT_GE(count * chunk, size);
      if (size <= kMinChunk) {
        ASSERT_EQ(count, 1u);
      }
    }
}

TEST(Chunking, LargeMessagesGiveEveryPathSeveral) {
  for (const size_t paths : {2u, 4u, 8u})
    EXPECT_GE(chunkCountFor(64 << 20, chunkBytesFor(64 << 20, paths, kRail)), 4 * paths);
}

TEST(Chunking, ALargestChunkHoldsWhereTheNumberOfChunksAllows) {
  EXPECT_EQ(chunkBytesFor(8 << 20, 2, kRail, 256 << 10), 256u << 10);
  EXPECT_EQ(chunkBytesFor(1 << 20, 2, kRail, 256 << 10), chunkBytesFor(1 << 20, 2, kRail));
  EXPECT_EQ(chunkBytesFor(1 << 20, 1, kRail, 64 << 10), 1u << 20);
  EXPECT_EQ(chunkCountFor(1 << 30, chunkBytesFor(1 << 30, 2, kRail, 64 << 10)), kMaxChunks);
}

TEST(Chunking, OnePathTakesAMessageWhole) {
  EXPECT_EQ(chunkCountFor(1 << 20, chunkBytesFor(1 << 20, 1, kRail)), 1u);
  EXPECT_EQ(chunkCountFor(4 << 20, chunkBytesFor(4 << 20, 1, kRail)), 4u);
}

TEST(Chunking, EqualSharesAreOneAPath) {
  for (const size_t size : {1u, 127u, 129u, 1000u, 1u << 20})
    for (const size_t paths : {1u, 3u, 8u}) {
      const size_t share = equalShareFor(size, paths, kRail);
      EXPECT_EQ(share % kChunkGrain, 0u);
      EXPECT_LE(chunkCountFor(size, share), paths);
    }
}

TEST(Chunking, AnEmptyMessageIsOneChunk) { EXPECT_EQ(chunkCountFor(0, kMinChunk), 1u); }

}  // namespace
}  // namespace polyrail::net
