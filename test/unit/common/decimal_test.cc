// SPDX-License-Identifier: Apache-2.0
#include "common/text/decimal.h"

#include <gtest/gtest.h>

namespace polyrail {
namespace {

TEST(LeadingDecimal, ReadsWhatSysWrites) {
  EXPECT_DOUBLE_EQ(leadingDecimal("2.5 GT/s PCIe"), 2.5);
  EXPECT_DOUBLE_EQ(leadingDecimal("400 Gb/sec (4X NDR)"), 400);
  EXPECT_NEAR(leadingDecimal("31.504"), 31.504, 1e-9);
  EXPECT_DOUBLE_EQ(leadingDecimal("16."), 16);
  EXPECT_NEAR(leadingDecimal("0.123456789"), 0.123456, 1e-6);
}

TEST(LeadingDecimal, IsNothingWhereThereIsNoNumber) {
  EXPECT_EQ(leadingDecimal(""), 0);
  EXPECT_EQ(leadingDecimal("Unknown"), 0);
  EXPECT_EQ(leadingDecimal("-1"), 0);
  EXPECT_EQ(leadingDecimal(".5"), 0);
}

}  // namespace
}  // namespace polyrail
