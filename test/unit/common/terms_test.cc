// SPDX-License-Identifier: Apache-2.0
#include "common/nccl/terms.h"

#include <gtest/gtest.h>

namespace polyrail::nccl {
namespace {

TEST(Terms, EveryNameParsesBack) {
  for (int i = 0; i < kNumCollectives; i++)
    EXPECT_EQ(parseCollective(name(static_cast<Collective>(i))), static_cast<Collective>(i));
  for (int i = 0; i < kNumAlgorithms; i++)
    EXPECT_EQ(parseAlgorithm(name(static_cast<Algorithm>(i))), static_cast<Algorithm>(i));
  for (int i = 0; i < kNumProtocols; i++)
    EXPECT_EQ(parseProtocol(name(static_cast<Protocol>(i))), static_cast<Protocol>(i));
}

TEST(Terms, SpellingsOfTheField) {
  EXPECT_EQ(parseCollective("all_reduce_perf"), Collective::kAllReduce);
  EXPECT_EQ(parseCollective("ReduceScatter"), Collective::kReduceScatter);
  EXPECT_EQ(parseAlgorithm("NVLS_TREE"), Algorithm::kNvlsTree);
  EXPECT_EQ(parseAlgorithm("COLLNET_DIRECT"), Algorithm::kCollNetDirect);
  EXPECT_EQ(parseProtocol("LL128"), Protocol::kLl128);
}

TEST(Terms, UnknownWordsAreNothing) {
  for (const char* text : {"", "alltoall", "rings", "a_very_long_word_that_fits_no_name_at_all", "ll64"}) {
    EXPECT_FALSE(parseCollective(text)) << text;
    EXPECT_FALSE(parseAlgorithm(text)) << text;
    EXPECT_FALSE(parseProtocol(text)) << text;
  }
}

TEST(Terms, KernelsAsGeneratePyLists) {
  int kernels[kNumCollectives] = {};
  for (int c = 0; c < kNumCollectives; c++)
    for (int a = 0; a < kNumAlgorithms; a++)
      for (int p = 0; p < kNumProtocols; p++)
        kernels[c] += hasKernel(static_cast<Collective>(c), static_cast<Algorithm>(a), static_cast<Protocol>(p));
  EXPECT_EQ(kernels[0], 3);          // Broadcast: Ring
  EXPECT_EQ(kernels[1], 3);          // Reduce: Ring
  EXPECT_EQ(kernels[2], 3 + 3);      // AllGather: Ring; CollNetDirect, NVLS, PAT Simple
  EXPECT_EQ(kernels[3], 3 + 3);      // ReduceScatter
  EXPECT_EQ(kernels[4], 3 + 3 + 4);  // AllReduce: Tree, Ring; four Simple only
}

}  // namespace
}  // namespace polyrail::nccl
