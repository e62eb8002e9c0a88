// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/statistic.h"

#include <gtest/gtest.h>

#include "cli/learn/moderation.h"
#include "cli/learn/statistics.h"
#include "cli/learn/time_model.h"

namespace polyrail::cli {
namespace {

TEST(Statistics, MediansAndQuantiles) {
  std::vector<double> odd = {5, 1, 9}, even = {4, 1, 3, 2}, none;
  EXPECT_EQ(median(odd), 5);
  EXPECT_EQ(median(even), 2.5);
  EXPECT_TRUE(std::isnan(median(none)));
  EXPECT_EQ(quantile(odd, 0.5), 5);
  EXPECT_EQ(quantile(odd, 0.67), 9);
  EXPECT_EQ(quantile(even, 0.01), 1);
  EXPECT_EQ(quantile(even, 1), 4);
}

TEST(OfPlacements, TheNearerToWhatIsExpected) {
  EXPECT_EQ(ofPlacements(0.1, 0.3, 0.2), 0.2) << "within: the expectation itself";
  EXPECT_EQ(ofPlacements(0.1, 2.0, 0.12), 0.12) << "an outlier above";
  EXPECT_EQ(ofPlacements(-3.0, 0.1, 0.12), 0.1) << "an outlier below";
  EXPECT_EQ(ofPlacements(0.5, 0.6, 0.1), 0.5) << "both placements agree against the neighbours";
  EXPECT_EQ(ofPlacements<double>(0.1, 0.3, kNoTime), 0.1) << "no neighbours: the lesser";
  EXPECT_EQ(ofPlacements<double>(kNoTime, 0.3, 0.1), 0.3) << "one placement only";
}

TEST(WithNeighbours, KeepsTrendsAndDropsSpikes) {
  EXPECT_EQ(withNeighbours(0.1, 0.2, 0.3), 0.2);
  EXPECT_EQ(withNeighbours(0.1, 5.0, 0.2), 0.2);
  EXPECT_EQ(withNeighbours(0.1, -5.0, 0.2), 0.1);
  EXPECT_EQ(withNeighbours<double>(kNoTime, 0.2, 0.1), 0.1);
  EXPECT_EQ(withNeighbours<double>(0.3, 0.2, kNoTime), 0.2);
  EXPECT_EQ(withNeighbours<double>(kNoTime, 0.2, kNoTime), 0.2);
}

TEST(Moderate, ChanceDifferencesBecomeOne) {
  std::vector<OwnSpread> alike;
  for (double ratio : {0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3}) alike.push_back({ratio, 4});
  for (double ratio : moderate(alike)) EXPECT_NEAR(ratio, 1, 1e-3);
}

TEST(Moderate, ARealDifferenceStays) {
  std::vector<OwnSpread> mixed(6, {1, 9});
  mixed.push_back({20, 9});
  const std::vector<double> ratios = moderate(mixed);
  EXPECT_EQ(ratios[0], 1);
  EXPECT_GT(ratios[6], 10);
}

TEST(Moderate, QuietOrUnknownSeriesAreOne) {
  EXPECT_EQ(moderate({{0.2, 4}, {kNoTime, 4}, {0, 4}, {5, 0}}), std::vector<double>({1, 1, 1, 1}));
}

TEST(FitTime, RecoversALine) {
  std::vector<TimePoint> points;
  for (double mib : {0.001, 0.1, 1.0, 10.0, 1000.0}) points.push_back({mib, 20 + 5 * mib});
  const TimeModel t = *fitTime(points);
  EXPECT_NEAR(t.baseUs, 20, 1e-6);
  EXPECT_NEAR(t.usPerMib, 5, 1e-6);
}

TEST(FitTime, IsPositiveWhateverThePoints) {
  const std::vector<TimePoint> steep = {{1, 1}, {2, 5}}, falling = {{1, 10}, {2, 5}}, one = {{4, 8}};
  EXPECT_EQ(fitTime(steep)->baseUs, kMinTimeUs);
  EXPECT_GT(fitTime(steep)->usPerMib, 0);
  EXPECT_GT(fitTime(falling)->baseUs, 5);
  EXPECT_EQ(fitTime(falling)->usPerMib, 0);
  EXPECT_EQ(*fitTime(one), (TimeModel{8, 0}));
  EXPECT_FALSE(fitTime({}));
}

}  // namespace
}  // namespace polyrail::cli
