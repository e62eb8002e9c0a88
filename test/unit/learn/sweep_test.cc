// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Run withRows(Run run, std::vector<Row> rows) {
  run.rows = std::move(rows);
  return run;
}

TEST(MakeSweeps, RepeatsAndArmsOfOneShapeComeTogether) {
  const NcclTestsRun byDefault = runOf(Collective::kAllReduce, 16, 2),
                     ring = runOf(Collective::kAllReduce, 16, 2, "Ring", "LL");
  const Sweeps made = sweepsOf({withRows(ring, {rowOf(1024, 10, 20)}), withRows(byDefault, {rowOf(1024, 30, 30)}),
                                withRows(ring, {rowOf(1024, 12, 20), rowOf(2048, 15, 15)})});
  ASSERT_EQ(made.sweeps.size(), 1u);
  const Sweep& sweep = made.sweeps[0];
  EXPECT_THAT(sweep.sizes, ElementsAre(1024, 2048));
  ASSERT_EQ(sweep.series.size(), 2u);
  EXPECT_EQ(sweep.byDefault(), &sweep.series[0]) << "the default comes first";
  ASSERT_EQ(sweep.series[1].runs.size(), 2u);
  EXPECT_DOUBLE_EQ(sweep.series[1].runs[1][0][0], std::log(12));
  EXPECT_TRUE(std::isnan(sweep.series[1].runs[0][1][0])) << "the first run did not measure 2 KiB";
  EXPECT_EQ(sweep.series[1].times(0), 4u);
}

TEST(MakeSweeps, AllGatherIsKeyedByBytesPerRank) {
  const Sweeps made = sweepsOf({withRows(runOf(Collective::kAllGather, 8, 1), {rowOf(8192, 1, 1)})});
  EXPECT_THAT(made.sweeps[0].sizes, ElementsAre(1024));
  EXPECT_EQ(made.sweeps[0].totalBytes(0), 8192u);
}

TEST(MakeSweeps, RoundedSizesAreOne) {
  const NcclTestsRun run = runOf(Collective::kAllReduce, 10, 1);
  const Sweeps made = sweepsOf({withRows(run, {rowOf(33554432, 1, 1)}), withRows(run, {rowOf(33554400, 1, 1)})});
  EXPECT_THAT(made.sweeps[0].sizes, ElementsAre(33554400));
  EXPECT_EQ(made.sweeps[0].series[0].times(0), 4u);
}

TEST(MakeSweeps, CyclesOfOneRunAreOneRepeat) {
  const Sweeps made = sweepsOf({withRows(runOf(Collective::kAllReduce, 8, 1),
                                         {rowOf(1024, 10, 10), rowOf(1024, 50, 10), rowOf(1024, 12, 10)})});
  ASSERT_EQ(made.sweeps[0].series[0].runs.size(), 1u);
  EXPECT_DOUBLE_EQ(made.sweeps[0].series[0].runs[0][0][0], std::log(12)) << "by their median";
}

TEST(MakeSweeps, TimesThatAreNoneAreNotMeasured) {
  const Sweeps made =
      sweepsOf({withRows(runOf(Collective::kAllReduce, 8, 1), {rowOf(1024, 0, 10), rowOf(2048, NAN, -1)})});
  EXPECT_THAT(made.sweeps[0].sizes, ElementsAre(1024));
  EXPECT_TRUE(std::isnan(made.sweeps[0].series[0].runs[0][0][0]));
}

TEST(MakeSweeps, WhatCannotBeUsedIsSaid) {
  NcclTestsRun alltoall = runOf(Collective::kAllReduce, 8, 1), nowhere = runOf(Collective::kAllReduce, 8, 1),
               uneven = runOf(Collective::kAllReduce, 9, 2);
  alltoall.collective.reset();
  alltoall.collectiveText = "alltoall_perf";
  nowhere.nodes.reset();
  const Sweeps made = sweepsOf({alltoall, nowhere, uneven});
  EXPECT_TRUE(made.sweeps.empty());
  EXPECT_THAT(made.notes, Contains(HasSubstr("alltoall_perf")));
  EXPECT_THAT(made.notes, Contains(HasSubstr("--ranks and --nodes")));
  EXPECT_THAT(made.notes, Contains(HasSubstr("9 ranks on 2 nodes")));
}

TEST(MakeSweeps, OtherTypesAndGraphsAreOtherExperiments) {
  NcclTestsRun graph = withRows(runOf(Collective::kAllReduce, 8, 1), {rowOf(1024, 5, 5)});
  graph.settings.graph = 1;
  NcclTestsRun half = withRows(runOf(Collective::kAllReduce, 8, 1), {rowOf(1024, 5, 5)});
  half.rows[0].type = "half";
  const NcclTestsRun usual = withRows(runOf(Collective::kAllReduce, 8, 1), {rowOf(1024, 10, 10)});
  const Sweeps made = sweepsOf({graph, half, usual, usual});
  EXPECT_EQ(made.sweeps[0].series[0].runs.size(), 2u);
  EXPECT_THAT(made.notes, Contains(HasSubstr("CUDA graphs")));
  EXPECT_THAT(made.notes, Contains(HasSubstr("half sum")));
}

TEST(MakeSweeps, WrongResultsAreCounted) {
  NcclTestsRun run =
      withRows(runOf(Collective::kAllReduce, 8, 1, "Ring", "LL128"), {rowOf(1024, 1, 1), rowOf(2048, 1, 1)});
  run.rows[0].inPlace->wrong = 7;
  run.rows[1].inPlace->wrong.reset(), run.rows[1].outOfPlace->wrong.reset();
  const Sweeps made = sweepsOf({run});
  EXPECT_EQ(made.sweeps[0].series[0].wrong[0], 7);
  EXPECT_TRUE(std::isnan(made.sweeps[0].series[0].wrong[1])) << "nobody checked";
}

TEST(DescribeDefault, LoggedChoicesAndPool) {
  NcclTestsRun run = withRows(runOf(Collective::kAllReduce, 8, 1), {rowOf(1024, 1, 1)});
  run.choices.push_back({Collective::kAllReduce, 1024, false, Algorithm::kTree, Protocol::kLl128, 2, {}, 1});
  run.collChannels = 24;
  const Sweep sweep = sweepsOf({run}).sweeps[0];
  EXPECT_EQ(sweep.defaultChoice[0], (Arm{Algorithm::kTree, Protocol::kLl128, {}}));
  EXPECT_EQ(sweep.pool, 24);
  EXPECT_TRUE(sweep.ll128Default);
}

TEST(DescribeDefault, AForcedRunSaysNothingAboutTheDefault) {
  NcclTestsRun run = withRows(runOf(Collective::kAllReduce, 8, 1, "Ring", "LL128"), {rowOf(1024, 1, 1)});
  run.choices.push_back({Collective::kAllReduce, 1024, false, Algorithm::kRing, Protocol::kLl128, 2, {}, 1});
  run.costTable.emplace();
  for (auto& algorithm : run.costTable->bandwidthGBs[4]) algorithm.fill(10);
  const Sweep sweep = sweepsOf({run}).sweeps[0];
  EXPECT_FALSE(sweep.defaultChoice[0]);
  EXPECT_FALSE(sweep.ll128Default);
}

// Cost table in which Ring/LL wins small and Ring/Simple large messages.
Run tuningLog() {
  Run log = runOf(Collective::kAllReduce, 8, 1);
  log.costTable.emplace();
  auto& bandwidth = log.costTable->bandwidthGBs[4];
  auto& latency = log.costTable->latencyUs[4];
  bandwidth[1][0] = 80, latency[1][0] = 10;
  bandwidth[1][2] = 300, latency[1][2] = 30;
  return log;
}

TEST(RebuildDefault, TheArmThatTheDefaultIsStandsForIt) {
  const NcclTestsRun ll =
      withRows(runOf(Collective::kAllReduce, 8, 1, "Ring", "LL"), {rowOf(1024, 10, 10), rowOf(1 << 28, 900, 900)});
  const NcclTestsRun simple = withRows(runOf(Collective::kAllReduce, 8, 1, "Ring", "Simple"),
                                       {rowOf(1024, 30, 30), rowOf(1 << 28, 400, 400)});
  const Sweep sweep = sweepsOf({ll, simple, tuningLog()}).sweeps[0];
  ASSERT_TRUE(sweep.byDefault());
  EXPECT_TRUE(sweep.defaultRebuilt);
  EXPECT_DOUBLE_EQ(sweep.byDefault()->runs[0][0][0], std::log(10));
  EXPECT_DOUBLE_EQ(sweep.byDefault()->runs[0][1][0], std::log(400));
}

TEST(RebuildDefault, NothingStandsForAnUnmeasuredDefault) {
  const NcclTestsRun tree = withRows(runOf(Collective::kAllReduce, 8, 1, "Tree", "LL"), {rowOf(1024, 10, 10)});
  EXPECT_EQ(sweepsOf({tree, tuningLog()}).sweeps[0].byDefault(), nullptr);
}

}  // namespace
}  // namespace polyrail::cli
