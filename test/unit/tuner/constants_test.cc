// SPDX-License-Identifier: Apache-2.0
#include "tuner/constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace polyrail {
namespace {

nccl::TunerConstantsV5 ones() {
  nccl::TunerConstantsV5 c;
  double* all = reinterpret_cast<double*>(&c);
  for (size_t i = 0; i < sizeof c / sizeof(double); i++) all[i] = 1;
  return c;
}

int changed(const nccl::TunerConstantsV5& c) {
  const double* all = reinterpret_cast<const double*>(&c);
  int n = 0;
  for (size_t i = 0; i < sizeof c / sizeof(double); i++) n += all[i] != 1;
  return n;
}

TEST(Constants, EachArrayIsReachedByNcclsNameAndIndices) {
  nccl::TunerConstantsV5 c = ones();
  const std::vector<ConstantOverride> overrides = {{"baseLatencies", {6, 2, 0}, 2},
                                                   {"hwLatencies", {2, 1, 2}, 3},
                                                   {"llMaxBws", {3, 0, 0}, 4},
                                                   {"perChMaxRingLL128Bws", {1, 2, 0}, 5},
                                                   {"perChMaxTreeLL128Bws", {0, 0, 0}, 6},
                                                   {"perChMaxTreeBws", {2, 1, 0}, 7},
                                                   {"perChMaxNVLSTreeBws", {3, 2, 0}, 8}};
  EXPECT_EQ(applyConstants(overrides, c), 7);
  EXPECT_EQ(c.baseLatencies[6][2], 2);
  EXPECT_EQ(c.hwLatencies[2][1][2], 3);
  EXPECT_EQ(c.llMaxBws[3][0], 4);
  EXPECT_EQ(c.perChMaxRingLl128Bws[1][2], 5);
  EXPECT_EQ(c.perChMaxTreeLl128Bws[0][0], 6);
  EXPECT_EQ(c.perChMaxTreeBws[2][1], 7);
  EXPECT_EQ(c.perChMaxNvlsTreeBws[3][2], 8);
  EXPECT_EQ(changed(c), 7);
}

TEST(Constants, WhatIsWrongIsSkipped) {
  nccl::TunerConstantsV5 c = ones();
  const std::vector<ConstantOverride> overrides = {{"", {0, 0, 0}, 2},
                                                   {"baselatencies", {0, 0, 0}, 2},
                                                   {"baseLatencies", {7, 0, 0}, 2},
                                                   {"baseLatencies", {0, 3, 0}, 2},
                                                   {"baseLatencies", {0, 0, 1}, 2},
                                                   {"llMaxBws", {-1, 0, 0}, 2},
                                                   {"hwLatencies", {3, 0, 0}, 2},
                                                   {"llMaxBws", {0, 0, 0}, NAN},
                                                   {"llMaxBws", {0, 0, 0}, INFINITY},
                                                   {"llMaxBws", {0, 0, 0}, -1}};
  EXPECT_EQ(applyConstants(overrides, c), 0);
  EXPECT_EQ(changed(c), 0);
}

}  // namespace
}  // namespace polyrail
