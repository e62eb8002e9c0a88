// SPDX-License-Identifier: Apache-2.0
#include "net/device/hca_filter.h"

#include <gtest/gtest.h>

namespace polyrail::net {
namespace {

HcaFilter filter(const char* text) {
  const Result<HcaFilter> parsed = parseHcaFilter(text);
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return parsed.ok() ? parsed.value() : HcaFilter{};
}

TEST(HcaFilter, EmptyAllowsAll) { EXPECT_TRUE(filter("").allows("mlx5_0", 1)); }

TEST(HcaFilter, PrefixByDefaultWholeNameWithEquals) {
  EXPECT_TRUE(filter("mlx5_1").allows("mlx5_10", 1));
  EXPECT_FALSE(filter("=mlx5_1").allows("mlx5_10", 1));
  EXPECT_TRUE(filter("=mlx5_1,mlx5_3").allows("mlx5_3", 2));
}

TEST(HcaFilter, CaretExcludes) {
  EXPECT_FALSE(filter("^mlx5_1").allows("mlx5_1", 1));
  EXPECT_TRUE(filter("^=mlx5_1").allows("mlx5_10", 1));
  EXPECT_TRUE(filter("^mlx5_1:2").allows("mlx5_1", 1));
}

TEST(HcaFilter, PortsRailsAndPlanes) {
  const HcaFilter f = filter("=mlx5_0:1:3:1,mlx5_1::4,mlx5_2");
  EXPECT_TRUE(f.allows("mlx5_0", 1));
  EXPECT_FALSE(f.allows("mlx5_0", 2));
  EXPECT_EQ(f.match("mlx5_0", 1)->rail, 3);
  EXPECT_EQ(f.match("mlx5_0", 1)->plane, 1);
  EXPECT_EQ(f.match("mlx5_1", 2)->rail, 4);
  EXPECT_EQ(f.match("mlx5_2", 1)->rail, -1);
}

TEST(HcaFilter, BadTokensAreNamed) {
  for (const char* bad : {"mlx5_0:x", "mlx5_0:1:2:3:4", ":1", "mlx5_0:-1", "mlx5_0: 1"}) {
    const auto parsed = parseHcaFilter(bad);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_NE(parsed.message().find("NCCL_IB_HCA"), std::string::npos);
  }
}

}  // namespace
}  // namespace polyrail::net
