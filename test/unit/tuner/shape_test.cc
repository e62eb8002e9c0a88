// SPDX-License-Identifier: Apache-2.0
#include "tuner/shape.h"

#include <gtest/gtest.h>

namespace polyrail {
namespace {

Layout layout(Range nodes, Range ranksPerNode) { return {nodes, ranksPerNode, std::nullopt, std::nullopt}; }

TEST(Fits, NodesAndRanksPerNodeDecide) {
  const Layout wanted = layout({2, 4}, {8, 8});
  EXPECT_TRUE(fits(wanted, {16, 2, std::nullopt, 6}));
  EXPECT_TRUE(fits(wanted, {32, 4, std::nullopt, 6}));
  EXPECT_FALSE(fits(wanted, {8, 1, std::nullopt, 6}));
  EXPECT_FALSE(fits(wanted, {8, 2, std::nullopt, 6}));
  EXPECT_FALSE(fits(wanted, {40, 5, std::nullopt, 6}));
}

TEST(Fits, UnevenNodesMatchNoLayout) {
  EXPECT_FALSE(fits(Layout{}, {17, 2, std::nullopt, 6}));
  EXPECT_TRUE(fits(Layout{}, {16, 2, std::nullopt, 6}));
}

TEST(Fits, NonsenseMatchesNothing) {
  EXPECT_FALSE(fits(Layout{}, {0, 0, std::nullopt, 6}));
  EXPECT_FALSE(fits(Layout{}, {8, 0, std::nullopt, 6}));
  EXPECT_FALSE(fits(Layout{}, {0, 1, std::nullopt, 6}));
}

TEST(Fits, DomainsMustBeKnownWhenAskedFor) {
  Layout wanted;
  wanted.nvlDomains = Range{1, 1};
  EXPECT_FALSE(fits(wanted, {16, 2, std::nullopt, 4}));
  EXPECT_TRUE(fits(wanted, {16, 2, NvlDomains{1, 16, 16}, 6}));
  EXPECT_FALSE(fits(wanted, {16, 2, NvlDomains{2, 8, 8}, 6}));
}

TEST(Fits, EveryDomainMustBeInRange) {
  Layout wanted;
  wanted.ranksPerNvlDomain = Range{8, 16};
  EXPECT_TRUE(fits(wanted, {24, 3, NvlDomains{2, 8, 16}, 6}));
  EXPECT_FALSE(fits(wanted, {24, 3, NvlDomains{2, 4, 20}, 6}));
  EXPECT_FALSE(fits(wanted, {24, 3, NvlDomains{2, 7, 17}, 6}));
}

}  // namespace
}  // namespace polyrail
