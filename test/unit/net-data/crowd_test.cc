// SPDX-License-Identifier: Apache-2.0
// Many peers with one message each on rails of unequal rate: what the hint about them is for.
#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

// ns until 16 peers have got 8 MiB each, once rates are known.
int64_t exchange(size_t largestChunk) {
  constexpr unsigned kPeers = 16;
  RigOptions options{.senderGbps = {50, 12.5}, .receiverGbps = {50, 12.5}};
  options.segment = 16 << 10;
  Rig rig(options);
  std::vector<std::unique_ptr<CommPair>> pairs;
  std::vector<std::unique_ptr<Traffic>> streams;
  CommOptions sender = rig.options(true);
  if (largestChunk) sender.largestChunk = std::make_shared<std::atomic<size_t>>(largestChunk);
  for (unsigned i = 0; i < kPeers; i++) {
    pairs.push_back(std::make_unique<CommPair>(rig, sender, rig.options(false), i));
    streams.push_back(std::make_unique<Traffic>(rig, *pairs.back(), 8 << 20, 1, true));
  }
  int64_t took = 0;
  for (uint64_t round = 1; round <= 3; round++) {
    const int64_t start = rig.sim().now();
    for (const auto& s : streams) s->stopAfter(round);
    rig.sim().until(
        [&] {
          return std::all_of(streams.begin(), streams.end(), [&](const auto& s) { return s->received() == round; });
        },
        [&] {
          bool any = false;
          for (const auto& s : streams) any |= s->turn();
          return any;
        },
        start + 1'000'000'000);
    took = rig.sim().now() - start;
  }
  for (const auto& s : streams) EXPECT_TRUE(s->ok()) << s->error();
  return took;
}

TEST(Crowd, SmallerChunksEndAnAllToAllSooner) {
  const double plain = static_cast<double>(exchange(0));
  EXPECT_LT(static_cast<double>(exchange(256 << 10)), 0.9 * plain);
  EXPECT_LT(static_cast<double>(exchange(64 << 10)), 0.85 * plain);
}

TEST(Crowd, TheUsualChunkIsWhatNoHintGives) { EXPECT_EQ(exchange(1 << 20), exchange(0)); }

}  // namespace
}  // namespace polyrail::net
