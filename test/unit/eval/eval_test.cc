// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/eval/leave_out.h"
#include "cli/eval/report.h"
#include "cli/learn/learn.h"
#include "test/synthetic/truth.h"
#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

// Default 100 us everywhere, Ring/LL 50 us, Tree/Simple 40 us, at 1 to 4 MiB.
Sweep sweep(uint64_t nodes = 2) {
  std::vector<polyrail::Run> runs;
  for (const auto& [algorithm, protocol, us] :
       {std::tuple{"", "", 100.0}, std::tuple{"Ring", "LL", 50.0}, std::tuple{"Tree", "Simple", 40.0}}) {
    runs.push_back(runOf(Collective::kAllReduce, 8 * nodes, nodes, algorithm, protocol));
    for (uint64_t mib : {1, 2, 4}) runs.back().rows.push_back(rowOf(mib << 20, us, us));
  }
  return sweepsOf(runs).sweeps[0];
}

Policy choosing(Algorithm a, Protocol p, uint64_t from, uint64_t to) {
  Policy policy;
  polyrail::Table table;
  table.layout = {{2, 2}, {8, 8}, {}, {}};
  Rule rule;
  rule.from = from, rule.to = to;
  rule.choices = {{a, p, {}, {}, {}}};
  table.rules = {rule};
  policy.tables = {table};
  return policy;
}

TEST(Evaluate, RegretOfTheChoiceAndOfTheDefault) {
  const auto cells = evaluate(choosing(Algorithm::kRing, Protocol::kLl, 2 << 20, 8 << 20), sweep());
  ASSERT_TRUE(cells.ok());
  ASSERT_EQ(cells.value().size(), 3u);
  const EvalCell &bare = cells.value()[0], &ruled = cells.value()[1];
  EXPECT_FALSE(bare.covered);
  EXPECT_NEAR(bare.regret(), 1.5, 1e-9) << "the default's, 100 against 40";
  EXPECT_TRUE(ruled.covered);
  EXPECT_NEAR(ruled.regret(), 0.25, 1e-9);
  EXPECT_NEAR(ruled.defaultRegret(), 1.5, 1e-9);
  EXPECT_NEAR(ruled.overDefault(), -0.5, 1e-9);
  EXPECT_EQ(describe(ruled.best), "tree/simple");
}

TEST(Evaluate, AChoiceThatWasNotMeasuredHasNoRegret) {
  const auto cells = evaluate(choosing(Algorithm::kRing, Protocol::kSimple, 0, kNoLimit), sweep());
  const EvalSummary s = summarise(cells.value());
  EXPECT_EQ(s.cells, 3u);
  EXPECT_EQ(s.unmeasured, 3u);
  EXPECT_EQ(s.policy.count, 0u);
}

TEST(Evaluate, AnotherShapeIsNotCovered) {
  const auto cells = evaluate(choosing(Algorithm::kRing, Protocol::kLl, 0, kNoLimit), sweep(4));
  EXPECT_EQ(summarise(cells.value()).covered, 0u);
}

TEST(Evaluate, AllGatherIsAskedByTotalBytesAndKeyedPerRank) {
  std::vector<polyrail::Run> runs;
  for (const char* protocol : {"", "LL"}) {
    runs.push_back(runOf(Collective::kAllGather, 16, 2, *protocol ? "Ring" : "", protocol));
    runs.back().rows.push_back(rowOf(16 << 20, *protocol ? 50 : 100, *protocol ? 50 : 100));
  }
  Policy policy = choosing(Algorithm::kRing, Protocol::kLl, 1 << 20, (1 << 20) + 1);
  policy.tables[0].collective = Collective::kAllGather;
  const auto cells = evaluate(policy, sweepsOf(runs).sweeps[0]);
  ASSERT_EQ(cells.value().size(), 1u);
  EXPECT_EQ(cells.value()[0].size, 1u << 20);
  EXPECT_TRUE(cells.value()[0].covered);
}

TEST(Summarise, MeanTailAndLoss) {
  std::vector<EvalCell> cells(20);
  for (EvalCell& c : cells) c.bestUs = c.policyUs = 100, c.defaultUs = 200;
  cells[3].policyUs = 220;
  const EvalSummary s = summarise(cells);
  EXPECT_NEAR(s.policy.mean, 1.2 / 20, 1e-9);
  EXPECT_EQ(s.policy.p95, 0);
  EXPECT_NEAR(s.policy.max, 1.2, 1e-9);
  EXPECT_NEAR(s.worstOverDefault, 0.1, 1e-9);
  EXPECT_NEAR(s.byDefault.mean, 1, 1e-9);
  EXPECT_GT(s.saved, 0.47);
}

TEST(Groups, ByLayoutAndBySize) {
  std::vector<EvalCell> cells(3);
  cells[0].nodes = 4, cells[1].nodes = 2, cells[2].nodes = 2;
  cells[0].size = 1000, cells[1].size = 1024, cells[2].size = 2048;
  EXPECT_EQ(byLayout(cells).size(), 2u);
  EXPECT_EQ(byLayout(cells)[0].cells.size(), 2u) << "2 nodes come first";
  EXPECT_EQ(bySize(cells)[0].cells.size(), 2u) << "1000 is nearest to 1 KiB";
  EXPECT_EQ(bySize(cells)[1].name, "2 KiB");
}

std::vector<Sweep> shapes(std::initializer_list<uint64_t> nodes) {
  std::vector<polyrail::Run> runs;
  synthetic::Truth truth{synthetic::doublings(1 << 16, 1 << 24),
                         {{Algorithm::kTree, Protocol::kLl, {}}, {Algorithm::kRing, Protocol::kSimple, {}}},
                         {},
                         {}};
  truth.times = {{20, 10}, {140, 120}};
  truth.defaultPicks.assign(truth.sizes.size(), 1);
  for (uint64_t n : nodes)
    for (polyrail::Run& run : synthetic::measureAll(truth, 5, n)) {
      run.nodes = n, run.ranks = 8 * n;
      runs.push_back(std::move(run));
    }
  return sweepsOf(runs).sweeps;
}

TEST(LeaveOut, ASizeBetweenTwoIsFilledIn) {
  const auto sweeps = shapes({2});
  const auto cells = leaveSizesOut(sweeps, {});
  ASSERT_TRUE(cells.ok());
  EXPECT_EQ(cells.value().size(), sweeps[0].sizes.size() - 2);
  const EvalSummary s = summarise(cells.value());
  EXPECT_EQ(s.covered, s.cells);
  EXPECT_LT(s.policy.mean, 0.02);
  EXPECT_GT(s.byDefault.mean, 1);
}

TEST(LeaveOut, ANodeCountBetweenTwoIsFilledInAndTheOthersAreNot) {
  const auto cells = leaveShapesOut(shapes({2, 4, 8}), {});
  ASSERT_TRUE(cells.ok());
  for (const EvalCell& cell : cells.value()) EXPECT_EQ(cell.covered, cell.nodes == 4) << cell.nodes;
  EXPECT_TRUE(leaveShapesOut(shapes({2}), {}).value().empty());
}

TEST(Report, JsonHasNullsForWhatIsNotKnown) {
  Evaluation e;
  e.cells = evaluate(choosing(Algorithm::kRing, Protocol::kSimple, 0, kNoLimit), sweep()).value();
  const auto json = asJson(e);
  EXPECT_TRUE(json["cells"][0]["policy_us"].is_null());
  EXPECT_EQ(json["all"]["unmeasured"], 3);
}

}  // namespace
}  // namespace polyrail::cli
