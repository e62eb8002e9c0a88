// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/path_samples.h"

#include <gtest/gtest.h>

namespace polyrail::net {
namespace {

TEST(PathSamples, AChunkAloneIsServedByItself) {
  PathSamples s;
  EXPECT_EQ(s.rate(), 0);
  s.begin(1000, 1, 50);
  s.end(150);
  EXPECT_DOUBLE_EQ(s.rate(), 10);
  EXPECT_DOUBLE_EQ(s.latency(), 100);
  EXPECT_EQ(s.histogram()[bucketOf(100)], 1u);
  EXPECT_EQ(s.count(), 1u);
}

TEST(PathSamples, WhatWasAheadWasServedToo) {
  PathSamples s;
  s.begin(1000, 4, 0);
  s.end(400);
  EXPECT_DOUBLE_EQ(s.rate(), 10);
}

TEST(PathSamples, LaterOnesWeighMore) {
  PathSamples s;
  for (int i = 0; i < 20; i++) s.begin(1000, 1, 0), s.end(i < 10 ? 1000 : 100);
  EXPECT_NEAR(s.rate(), 10, 1);
  EXPECT_NEAR(s.latency(), 100, 60);
}

TEST(PathSamples, AClockThatStandsStillIsNoDivisionByZero) {
  PathSamples s;
  s.begin(1000, 1, 50);
  s.end(50);
  EXPECT_EQ(s.histogram()[0], 1u);
  EXPECT_DOUBLE_EQ(s.rate(), 1000);
}

}  // namespace
}  // namespace polyrail::net
