// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/names.h"

#include <gtest/gtest.h>

#include "net/telemetry/recorder.h"

namespace polyrail::net {
namespace {

TEST(TelemetryNames, EveryValueHasAWordAndOthersHaveNone) {
  EXPECT_STREQ(nameOf(RailState::kLost), "lost");
  EXPECT_STREQ(nameOf(CommState::kFailed), "failed");
  EXPECT_STREQ(nameOf(CommKind::kReceive), "receive");
  EXPECT_STREQ(nameOf(PathPhase::kProving), "proving");
  EXPECT_STREQ(nameOf(EventKind::kEnded), "ended");
  EXPECT_STREQ(nameOf(static_cast<EventKind>(999)), "?");
  EXPECT_STREQ(nameOf(static_cast<PathPhase>(6)), "?");
}

TEST(TelemetryNames, TextIsCutToFitAndMadePrintable) {
  char field[8];
  putText(field, "mlx5_0:1 and more");
  EXPECT_EQ(textIn(field), "mlx5_0:");
  putText(field, "a\nb");
  EXPECT_EQ(textIn(field), "a?b");
  std::fill_n(field, 8, 'x');  // no end
  EXPECT_EQ(textIn(field), "xxxxxxxx");
}

TEST(TelemetryHistogram, BucketsArePowersOfTwo) {
  for (const auto& [ns, bucket] : {std::pair{int64_t{-5}, 0u}, {0, 0u}, {1, 0u}, {2, 1u}, {3, 1u}, {4, 2u}})
    EXPECT_EQ(bucketOf(ns), bucket) << ns;
  EXPECT_EQ(bucketOf(INT64_MAX), 39u);
  EXPECT_EQ(bucketOf((int64_t{1} << 39) - 1), 38u);
}

TEST(TelemetryHistogram, AQuantileIsTheUpperBoundOfItsBucket) {
  LatencyHistogram h{};
  EXPECT_EQ(quantile(h, 0.5), 0);
  h[10] = 98;
  h[20] = 2;
  EXPECT_EQ(quantile(h, 0.5), 2048);
  EXPECT_EQ(quantile(h, 0.98), 2048);
  EXPECT_EQ(quantile(h, 0.99), 2 << 20);
}

TEST(Recorder, KeepsTheLastEventsOldestFirst) {
  Recorder recorder;
  EXPECT_TRUE(recorder.last().empty());
  for (unsigned i = 0; i < kCommEvents + 10; i++) recorder.note(EventKind::kFence, i, i, i);
  CommRecord record{};
  recorder.copyTo(&record);
  EXPECT_EQ(record.events, kCommEvents + 10);
  EXPECT_EQ(record.event[(record.events - 1) % kCommEvents].value, kCommEvents + 9);
  ASSERT_EQ(recorder.last().size(), kCommEvents);
  EXPECT_EQ(recorder.last().front().value, 10u);
  EXPECT_EQ(recorder.last(3).front().value, kCommEvents + 7);
  EXPECT_EQ(recorder.last(3).back().time, kCommEvents + 9);
}

}  // namespace
}  // namespace polyrail::net
