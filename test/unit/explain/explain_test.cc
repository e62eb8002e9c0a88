// SPDX-License-Identifier: Apache-2.0
// What an explanation holds: the choice, its channels, refusals, NCCL's own choice, and why nothing fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/no_match.h"
#include "cli/model/cost_model.h"
#include "test/unit/explain/fixtures.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Protocol;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Explanation explained(const Policy& policy, const ExplainQuestion& q) {
  Result<Explanation> e = explain(policy, q);
  EXPECT_TRUE(e.ok());
  return std::move(e).value();
}

CostModel fourNodes() {
  nccl::Machine m;
  m.ranks = 32;
  m.nodes = 4;
  m.graphs.fill(nccl::Graph{12, 30, 30});
  return costModel(m);
}

TEST(Explain, TakesTheFirstChoiceAndShowsWhatReallyRuns) {
  const Policy policy = demoPolicy();
  const ExplainQuestion q = demoQuestion();
  const Explanation e = explained(policy, q);
  ASSERT_NE(e.chosen(), nullptr);
  EXPECT_EQ(e.chosen()->choice->algorithm, Algorithm::kNvlsTree);
  EXPECT_EQ(e.chosen()->setChannels, 16);
  EXPECT_EQ(e.chosen()->channels.running, 8);
  EXPECT_NEAR(*e.chosen()->predictedUs, 41.25, 1e-9);
  EXPECT_EQ(*e.origin, (Origin{0, 0}));
  EXPECT_EQ(e.pool, 16);
  EXPECT_TRUE(e.poolKnown);
  EXPECT_EQ(e.ncclDefault, std::nullopt);
  EXPECT_THAT(e.notes, Contains(HasSubstr("asks for 16 channels, 8 run: NCCL gives each at least 16 KiB")));
  EXPECT_THAT(e.notes, Contains(HasSubstr("assumes that NCCL allows nvlstree/simple here")));
}

TEST(Explain, ALogsTableSaysWhatNcclAllowsAndWouldTake) {
  const Policy policy = demoPolicy();
  CostModel without = fourNodes();
  without.bandwidthGBs[4][5][2] = 0;  // AllReduce by NVLSTree
  ExplainQuestion q = demoQuestion();
  q.table = &without;
  const Explanation e = explained(policy, q);
  ASSERT_NE(e.chosen(), nullptr);
  EXPECT_EQ(e.chosen()->choice->algorithm, Algorithm::kTree) << "the second choice";
  EXPECT_THAT(e.choices[0].entry.gate.why, HasSubstr("cost table"));
  ASSERT_TRUE(e.ncclDefault);
  const nccl::ModelShape shape{32, 4, 16};
  const auto expected = defaultChoice(without, shape, {q.collective, q.totalBytes, 1});
  EXPECT_EQ(e.ncclDefault->algorithm, expected->algorithm);
  EXPECT_EQ(e.ncclDefault->protocol, expected->protocol);
  for (const EntryView& v : e.entries)
    EXPECT_EQ(v.ncclUs.has_value(), v.gate.verdict == nccl::Verdict::kAllowed) << name(v.algorithm);
}

TEST(Explain, FiltersCanRefuseEveryChoice) {
  const Policy policy = demoPolicy();
  ExplainQuestion q = demoQuestion();
  q.filter = nccl::parseEnvFilter("allreduce:collnetchain", "").value();
  const Explanation e = explained(policy, q);
  EXPECT_EQ(e.outcome, Outcome::kNotAllowed);
  EXPECT_EQ(e.chosen(), nullptr);
  for (const ChoiceView& c : e.choices)
    EXPECT_THAT(c.entry.gate.why, HasSubstr("NCCL_ALGO=\"allreduce:collnetchain\""));
}

TEST(Explain, OldNcclsGetOnlyWhatIsSafe) {
  const Policy policy = demoPolicy();
  ExplainQuestion q = demoQuestion();
  q.version = 22105;
  q.shape.abi = tunerAbi(q.version);
  const Explanation e = explained(policy, q);
  ASSERT_NE(e.chosen(), nullptr);
  EXPECT_EQ(e.chosen()->choice->algorithm, Algorithm::kRing);
  EXPECT_THAT(e.notes, Contains(HasSubstr("NCCL 2.21 checks nothing")));
}

TEST(Explain, AbiFollowsTheVersion) {
  for (const auto& [version, abi] :
       {std::pair{22005, 0}, {22105, 2}, {22203, 3}, {22304, 3}, {22403, 4}, {22707, 4}, {22809, 5}, {23007, 6}})
    EXPECT_EQ(tunerAbi(version), abi) << version;
}

std::vector<std::string> misses(const Policy& policy, const ExplainQuestion& q) {
  const Explanation e = explained(policy, q);
  EXPECT_EQ(e.outcome, Outcome::kNoRule);
  return e.nearest;
}

TEST(NearestMiss, NamesTheFirstThingThatIsWrong) {
  Policy policy = demoPolicy();
  ExplainQuestion q = demoQuestion();
  q.collective = nccl::Collective::kAllGather;
  EXPECT_THAT(misses(policy, q), ElementsAre("no table for allgather; the policy has tables for allreduce"));
  q = demoQuestion();
  q.shape.ranks = 30;
  EXPECT_THAT(misses(policy, q), ElementsAre(HasSubstr("30 ranks do not divide evenly among 4 nodes")));
  q.shape = {32, 32, {}, 6};
  EXPECT_THAT(misses(policy, q), ElementsAre("no table of allreduce is for 32 nodes of 1 rank; there are tables for: "
                                             "2..16 nodes of 8 ranks"));
  EXPECT_THAT(misses(policy, demoQuestion(4096)),
              ElementsAre("no rule covers 4 KiB; the nearest above is for 64 KiB up to 1 MiB"));
  EXPECT_THAT(misses(policy, demoQuestion(2 << 20)), ElementsAre(HasSubstr("for 2 or more operations in a group")));
  policy.tables.clear();
  EXPECT_THAT(misses(policy, q), ElementsAre("the policy has no tables at all"));
}

TEST(NearestMiss, TellsNvlinkDomainsFromOtherShapes) {
  Policy policy = demoPolicy();
  policy.tables[0].layout.nvlDomains = Range{1, 1};
  ExplainQuestion q = demoQuestion();
  EXPECT_THAT(misses(policy, q), Contains(HasSubstr("say them with --nvl-domains")));
  q.shape.nvl = NvlDomains{4, 8, 8};
  EXPECT_THAT(misses(policy, q), Contains(HasSubstr("this communicator has 4, of 8..8 ranks")));
  q.shape = {32, 4, {}, 4};
  EXPECT_THAT(misses(policy, q), Contains(HasSubstr("from 2.28 on only")));
  q.shape = {32, 4, NvlDomains{1, 32, 32}, 6};
  EXPECT_NE(explained(policy, q).chosen(), nullptr);
}

TEST(NearestMiss, RegistrationIsACondition) {
  Policy policy = demoPolicy();
  policy.options.uniformApplication = true;
  policy.tables[0].rules[0].regBuff = true;
  EXPECT_THAT(misses(policy, demoQuestion()), Contains(HasSubstr("registered buffers (--reg-buff yes|no)")));
}

TEST(Notes, ChannelsThatAreNotSetSayWhy) {
  Policy policy = demoPolicy();
  policy.tables[0].rules[0].choices[0] = choice(Algorithm::kCollNetChain, Protocol::kSimple, 8, 30);
  ExplainQuestion q = demoQuestion();
  EXPECT_THAT(explained(policy, q).notes,
              Contains(HasSubstr("NCCL does not limit CollNet to the channels that exist")));
  policy.tables[0].rules[0].choices[0] = choice(Algorithm::kNvls, Protocol::kSimple, 8, 30);
  EXPECT_THAT(explained(policy, q).notes, Contains(HasSubstr("NCCL does not limit NVLS between nodes")));
  policy = demoPolicy();
  policy.tables[0].maxChannels = 4;
  EXPECT_THAT(explained(policy, q).notes,
              Contains(HasSubstr("wants 16 channels, but its table was measured with a pool of 4")));
}

TEST(Notes, ForcedLl128IsADanger) {
  const Policy policy = demoPolicy();
  ExplainQuestion q = demoQuestion();
  q.filter = nccl::parseEnvFilter("tree", "LL128").value();
  const Explanation e = explained(policy, q);
  EXPECT_EQ(e.chosen()->choice->protocol, Protocol::kLl128);
  EXPECT_THAT(e.notes, Contains(HasSubstr("DANGER: NCCL_PROTO switches off NCCL's own check of LL128")));
}

}  // namespace
}  // namespace polyrail::cli
