// SPDX-License-Identifier: Apache-2.0
#include "test/unit/lint/lint_cases.h"

namespace polyrail::test {
namespace {

constexpr Collective kSum = Collective::kAllReduce;

Policy withChoices(std::vector<Choice> choices, Layout layout = {{4, 4}, {8, 8}, {}, {}}, Collective c = kSum) {
  return oneTable(c, {ruleOf(0, kNoLimit, choices)}, layout);
}

TEST(Choices, RefusedInEveryCommunicator) {
  const Choice tree = choiceOf(Algorithm::kNvlsTree, Protocol::kSimple);
  const Choice pat = choiceOf(Algorithm::kPat, Protocol::kSimple);
  const Choice chain = choiceOf(Algorithm::kCollNetChain, Protocol::kSimple);
  EXPECT_EQ(found(withChoices({tree}, {{1, 1}, {8, 8}, {}, {}}), "refused-choice"),
            Places{"tables[0].rules[0].choices[0]"});
  EXPECT_EQ(found(withChoices({tree}), "refused-choice"), Places{});
  EXPECT_EQ(found(withChoices({ring(), pat}, {{4, 4}, {8, 8}, {}, {}}, Collective::kAllGather), "refused-choice"),
            Places{"tables[0].rules[0].choices[1]"});
  EXPECT_EQ(found(withChoices({pat}, {{4, 4}, {1, 1}, {}, {}}, Collective::kAllGather), "refused-choice"), Places{});
  EXPECT_EQ(found(withChoices({chain}, {{4, 4}, {9, 9}, {}, {}}), "refused-choice"),
            Places{"tables[0].rules[0].choices[0]"});
}

TEST(Choices, RefusedInSome) {
  const Choice tree = choiceOf(Algorithm::kNvlsTree, Protocol::kSimple);
  const Policy p = withChoices({tree}, {{1, 4}, {8, 8}, {}, {}});
  EXPECT_EQ(found(p, "sometimes-refused"), Places{"tables[0].rules[0].choices[0]"});
  EXPECT_EQ(found(p, "refused-choice"), Places{});
  const Choice nvls = choiceOf(Algorithm::kNvls, Protocol::kSimple);
  EXPECT_EQ(found(withChoices({nvls}, {{1, 1}, {8, 72}, {}, {}}, Collective::kReduceScatter), "sometimes-refused"),
            Places{"tables[0].rules[0].choices[0]"});
}

TEST(Choices, SeveralNodesNeedCollNetForNvls) {
  const Choice nvls = choiceOf(Algorithm::kNvls, Protocol::kSimple);
  EXPECT_EQ(found(withChoices({nvls}), "needs-collnet").size(), 1u);
  EXPECT_EQ(found(withChoices({nvls, ring()}), "needs-collnet"), Places{});
  EXPECT_EQ(found(withChoices({nvls}, {{1, 1}, {8, 8}, {}, {}}), "needs-collnet"), Places{});
}

TEST(Choices, Repeated) {
  EXPECT_EQ(found(withChoices({ring(), choiceOf(Algorithm::kRing, Protocol::kSimple, 4)}), "repeated-choice"),
            Places{"tables[0].rules[0].choices[1]"});
  EXPECT_EQ(found(withChoices({ring(), choiceOf(Algorithm::kRing, Protocol::kLl)}), "repeated-choice"), Places{});
}

Policy ll128(std::optional<Evidence> evidence, std::vector<Choice> choices) {
  Policy p = withChoices(choices);
  p.tables[0].rules[0].evidence = evidence;
  return p;
}

TEST(Choices, Ll128NeedsEvidence) {
  const Choice fast = choiceOf(Algorithm::kRing, Protocol::kLl128);
  Evidence e{0.1, 0.05, 0.2, 0.95, 0.01, 20, 3, {}, false};
  EXPECT_EQ(severityOf(ll128({}, {fast}), "unsafe-ll128"), Severity::kError);
  EXPECT_EQ(found(ll128(e, {fast}), "unsafe-ll128").size(), 1u);
  e.ll128Default = true;
  EXPECT_EQ(found(ll128(e, {fast}), "unsafe-ll128").size(), 1u);
  EXPECT_EQ(found(ll128(e, {ring(), fast}), "unsafe-ll128").size(), 0u);
  e.wrong = 0;
  EXPECT_EQ(found(ll128(e, {fast}), "unsafe-ll128").size(), 0u);
  EXPECT_EQ(found(ll128({}, {ring()}), "unsafe-ll128").size(), 0u);
}

TEST(Choices, WrongResultsAreAnErrorForAnyProtocol) {
  const Evidence e{0.1, 0.05, 0.2, 0.95, 0.01, 20, 3, 2, true};
  EXPECT_EQ(severityOf(ll128(e, {ring()}), "wrong-results"), Severity::kError);
}

TEST(Choices, PatCannotAverage) {
  const Choice pat = choiceOf(Algorithm::kPat, Protocol::kSimple);
  const Layout one = {{4, 4}, {1, 1}, {}, {}};
  EXPECT_EQ(found(withChoices({pat}, one, Collective::kReduceScatter), "pat-reduction").size(), 1u);
  EXPECT_EQ(found(withChoices({pat, ring()}, one, Collective::kReduceScatter), "pat-reduction").size(), 0u);
  EXPECT_EQ(found(withChoices({pat}, one, Collective::kAllGather), "pat-reduction").size(), 0u);
}

TEST(Channels, Unreachable) {
  const Choice sixteen = choiceOf(Algorithm::kRing, Protocol::kSimple, 16);
  // facts: AllReduce Simple starts a channel per 16 KiB.
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 65537, {sixteen})}), "unreachable-channels"),
            Places{"tables[0].rules[0].choices[0].channels"});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 1 << 20, {sixteen})}), "unreachable-channels"), Places{});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, kNoLimit, {sixteen})}), "unreachable-channels"), Places{});
  const Choice all = choiceOf(Algorithm::kTree, Protocol::kLl, 64);
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 24 << 10, {all})}), "unreachable-channels").size(), 1u);
}

// Per rank: with 32 ranks 512 KiB are 16 MiB in total.
TEST(Channels, UnreachablePerRank) {
  const Choice sixteen = choiceOf(Algorithm::kRing, Protocol::kSimple, 16);
  EXPECT_EQ(found(oneTable(Collective::kReduceScatter, {ruleOf(0, 512 << 10, {sixteen})}), "unreachable-channels"),
            Places{});
  EXPECT_EQ(
      found(oneTable(Collective::kReduceScatter, {ruleOf(0, 2 << 10, {sixteen})}), "unreachable-channels").size(),
      1u);
}

TEST(Channels, PoolAndCollNet) {
  EXPECT_EQ(found(withChoices({choiceOf(Algorithm::kRing, Protocol::kSimple, 33)}), "channels-over-pool").size(), 1u);
  EXPECT_EQ(found(withChoices({choiceOf(Algorithm::kRing, Protocol::kSimple, 32)}), "channels-over-pool").size(), 0u);
  EXPECT_EQ(found(withChoices({choiceOf(Algorithm::kCollNetChain, Protocol::kSimple, 4)}), "collnet-channels").size(),
            1u);
}

TEST(Channels, AllGather) {
  Policy p = withChoices({choiceOf(Algorithm::kRing, Protocol::kSimple, 8)}, {{4, 4}, {8, 8}, {}, {}},
                         Collective::kAllGather);
  EXPECT_EQ(severityOf(p, "allgather-channels"), Severity::kNote);
  p.tables[0].maxChannels.reset();
  EXPECT_EQ(severityOf(p, "pool-unknown"), Severity::kNote);
  p.options.allGatherChannels = true;
  EXPECT_EQ(severityOf(p, "pool-unknown"), Severity::kError);
  EXPECT_EQ(found(p, "allgather-channels"), Places{});
}

}  // namespace
}  // namespace polyrail::test
