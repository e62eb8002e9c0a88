// SPDX-License-Identifier: Apache-2.0
// From spans to intervals, and from sweeps to tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/learn/intervals.h"
#include "cli/learn/inversions.h"
#include "cli/learn/tables.h"
#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

// A sweep of two arms with given gains over the default.
struct TwoArms {
  Sweep sweep;
  Comparison comparison;
};

TwoArms arms(std::vector<uint64_t> sizes, std::vector<double> first, std::vector<double> second) {
  TwoArms t;
  t.sweep.sizes = std::move(sizes);
  t.sweep.series.resize(3);
  t.sweep.series[1].arm = Arm{Algorithm::kTree, Protocol::kLl, {}};
  t.sweep.series[2].arm = Arm{Algorithm::kRing, Protocol::kSimple, {}};
  t.comparison.cells.resize(3, std::vector<Compared>(t.sweep.sizes.size()));
  for (size_t s = 0; s < t.sweep.sizes.size(); s++) {
    t.comparison.cells[1][s].gain = first[s];
    t.comparison.cells[2][s].gain = second[s];
  }
  return t;
}

TEST(Intervals, MeetWhereTheLogTimesCross) {
  const TwoArms t = arms({1 << 20, 4 << 20}, {0.4, 0.1}, {0.3, 0.4});
  // The lead of the first falls from 0.1 to -0.3: a quarter of the way over log size.
  const auto i = intervalsOf(t.sweep, t.comparison, {{1, 0, 0}, {2, 1, 1}});
  EXPECT_EQ(i[0].to, i[1].from);
  EXPECT_NEAR(static_cast<double>(i[0].to) / (1 << 20), std::sqrt(2), 0.05);
}

TEST(Intervals, MeetHalfWayWithoutACrossing) {
  const TwoArms t = arms({1 << 20, 4 << 20}, {0.4, 0.4}, {0.3, 0.3});
  const auto i = intervalsOf(t.sweep, t.comparison, {{1, 0, 0}, {2, 1, 1}});
  EXPECT_EQ(i[0].to, 2u << 20);
}

TEST(Intervals, EndNoFurtherThanMeasuredSizesSpeak) {
  const TwoArms t = arms({1 << 20, 1 << 21}, {0.4, 0.4}, {0, 0});
  const auto i = intervalsOf(t.sweep, t.comparison, {{1, 0, 1}});
  EXPECT_EQ(i[0].from, 1u << 20);
  EXPECT_NEAR(static_cast<double>(i[0].to) / (1 << 21), std::sqrt(2), 0.05);
}

TEST(Intervals, NothingIsSaidAcrossAWideGap) {
  const TwoArms t = arms({1 << 10, 1 << 20}, {0.4, 0.4}, {0, 0});
  const auto i = intervalsOf(t.sweep, t.comparison, {{1, 0, 0}, {1, 1, 1}});
  EXPECT_LT(i[0].to, 1500u);
  EXPECT_EQ(i[1].from, 1u << 20);
}

TEST(Intervals, TinySizesKeepTheirMeasuredPoint) {
  const TwoArms t = arms({1, 2}, {0.4, 0.1}, {0.1, 0.4});
  const auto i = intervalsOf(t.sweep, t.comparison, {{1, 0, 0}, {2, 1, 1}});
  EXPECT_EQ(i[0].to, 2u);
  EXPECT_GT(i[1].to, 2u);
}

Rule rule(uint64_t from, uint64_t to, Algorithm a, double gainLow) {
  Rule r;
  r.from = from, r.to = to;
  r.choices = {{a, Protocol::kSimple, {}, {}, TimeModel{gainLow * 100, 1}}};
  r.evidence.emplace();
  r.evidence->gainLow = gainLow;
  return r;
}

DecidedSweep decided(uint64_t nodes, std::vector<Rule> rules) {
  return {Collective::kAllReduce, nodes, 8, 16, std::move(rules)};
}

TEST(Tables, BetweenTwoNodeCountsWhatBothSay) {
  const auto tables =
      buildTables({decided(4, {rule(1000, 9000, Algorithm::kTree, 0.1), rule(9000, 20000, Algorithm::kRing, 0.1)}),
                   decided(2, {rule(500, 8000, Algorithm::kTree, 0.2), rule(8000, 15000, Algorithm::kRing, 0.05)})});
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0].layout.nodes, (Range{2, 2}));
  EXPECT_EQ(tables[1].layout.nodes, (Range{3, 3}));
  EXPECT_EQ(tables[2].layout.nodes, (Range{4, 4}));
  EXPECT_EQ(tables[1].layout.ranksPerNode, (Range{8, 8}));
  ASSERT_EQ(tables[1].rules.size(), 2u);
  EXPECT_EQ(tables[1].rules[0].from, 1000u);
  EXPECT_EQ(tables[1].rules[0].to, 8000u);
  EXPECT_EQ(tables[1].rules[0].evidence->gainLow, 0.1) << "the weaker evidence";
  EXPECT_EQ(tables[1].rules[0].choices[0].time->baseUs, 15) << "half way between the two";
  EXPECT_EQ(tables[1].rules[1].from, 9000u);
  EXPECT_EQ(tables[1].rules[1].to, 15000u);
}

TEST(Tables, DisagreementLeavesTheCountsBetweenToNccl) {
  const auto tables =
      buildTables({decided(2, {rule(1, 9, Algorithm::kTree, 0.1)}), decided(4, {rule(1, 9, Algorithm::kRing, 0.1)})});
  EXPECT_EQ(tables.size(), 2u);
}

TEST(Tables, NothingBetweenCountsThatAreFarApart) {
  const Rule tree = rule(1, 9, Algorithm::kTree, 0.1);
  EXPECT_EQ(buildTables({decided(2, {tree}), decided(8, {tree})}).size(), 3u);
  EXPECT_EQ(buildTables({decided(2, {tree}), decided(16, {tree})}).size(), 2u);
}

TEST(Tables, RanksPerNodeAreNeverGeneralised) {
  const Rule tree = rule(1, 9, Algorithm::kTree, 0.1);
  DecidedSweep four = decided(4, {tree});
  four.ranksPerNode = 4;
  EXPECT_EQ(buildTables({decided(2, {tree}), four}).size(), 2u);
}

TEST(Tables, WithoutRulesThereIsNoTable) { EXPECT_TRUE(buildTables({decided(2, {}), decided(4, {})}).empty()); }

TEST(Tables, AnUnknownPoolIsAtLeastWhatWasMeasured) {
  Rule eight = rule(1, 9, Algorithm::kRing, 0.1);
  eight.choices[0].channels = 8;
  DecidedSweep sweep = decided(2, {eight});
  sweep.pool.reset();
  EXPECT_EQ(buildTables({sweep})[0].maxChannels, 8);
}

TEST(Inversions, ABiggerMessageThatIsFaster) {
  NcclTestsRun run = runOf(Collective::kAllReduce, 8, 2);
  run.rows = {rowOf(512 << 10, 80, 80), rowOf(1 << 20, 912, 905), rowOf(2 << 20, 128, 130), rowOf(4 << 20, 126, 128)};
  const auto found = findInversions(sweepsOf({run}).sweeps[0]);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size, 1u << 20);
  EXPECT_EQ(found[0].larger, 2u << 20);
  EXPECT_NEAR(found[0].us, 908, 2);
}

TEST(Inversions, OneStrayPlacementIsNone) {
  NcclTestsRun run = runOf(Collective::kAllReduce, 8, 2);
  run.rows = {rowOf(1 << 20, 912, 100), rowOf(2 << 20, 128, 130)};
  EXPECT_TRUE(findInversions(sweepsOf({run}).sweeps[0]).empty());
}

}  // namespace
}  // namespace polyrail::cli
