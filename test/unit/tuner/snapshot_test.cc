// SPDX-License-Identifier: Apache-2.0
#include "tuner/snapshot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "test/unit/tuner/arbitrary.h"
#include "test/unit/tuner/oracle.h"

namespace polyrail {
namespace {

constexpr Shape kShape{16, 2, std::nullopt, 6};
constexpr int kAllReduce = static_cast<int>(nccl::Collective::kAllReduce);
constexpr int kAllGather = static_cast<int>(nccl::Collective::kAllGather);

Rule ruleOf(uint64_t from, uint64_t to) {
  Rule r;
  r.from = from;
  r.to = to;
  r.choices.resize(1);
  return r;
}

Policy policyOf(nccl::Collective collective, std::vector<Rule> rules) {
  Policy p;
  p.tables.push_back({collective, {}, std::nullopt, std::move(rules)});
  return p;
}

Snapshot compiled(const Policy& policy, const Shape& shape = kShape) {
  Result<Snapshot> made = Snapshot::compile(policy, shape);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

bool matches(const Snapshot& s, int collective, uint64_t bytes) { return !s.find({collective, bytes}).empty(); }

RC_GTEST_PROP(Snapshot, FindsTheFirstRuleThatHolds, ()) {
  const Policy policy = *test::policy();
  const Shape shape = *test::shape();
  const Snapshot snapshot = compiled(policy, shape);
  for (int i = 0; i < 30; i++) {
    const Request request = *test::request(policy, shape);
    if (request.bytes == UINT64_MAX) continue;
    const auto found = snapshot.find(request);
    const std::optional<Origin> expected = test::firstMatch(policy, shape, request);
    RC_ASSERT(found.empty() == !expected.has_value());
    if (!expected) continue;
    RC_ASSERT(snapshot.explain(request) == expected);
    RC_ASSERT(found.size() == policy.tables[expected->table].rules[expected->rule].choices.size());
  }
}

TEST(Snapshot, CollectivesBeyondTheFiveMatchNothing) {
  const Snapshot s = compiled(policyOf(nccl::Collective::kAllReduce, {ruleOf(0, kNoLimit)}));
  for (int collective : {-1, 5, 6, 11, 15, 1 << 20, INT32_MIN, INT32_MAX}) EXPECT_FALSE(matches(s, collective, 1024));
  EXPECT_TRUE(matches(s, kAllReduce, 1024));
}

TEST(Snapshot, AllGatherSizesArePerRank) {
  const Snapshot s = compiled(policyOf(nccl::Collective::kAllGather, {ruleOf(100, 200)}));
  EXPECT_FALSE(matches(s, kAllGather, 100 * 16 - 1));
  EXPECT_TRUE(matches(s, kAllGather, 100 * 16));
  EXPECT_TRUE(matches(s, kAllGather, 200 * 16 - 1));
  EXPECT_FALSE(matches(s, kAllGather, 200 * 16));
}

TEST(Snapshot, PerRankBoundariesPastTheLargestSizeSaturate) {
  const uint64_t big = UINT64_MAX / 16;  // of each rank; one more overflows
  const Snapshot s = compiled(policyOf(nccl::Collective::kAllGather, {ruleOf(1 << 20, big + 1)}));
  EXPECT_TRUE(matches(s, kAllGather, UINT64_MAX - 1));
  const Snapshot beyond = compiled(policyOf(nccl::Collective::kAllGather, {ruleOf(big + 1, kNoLimit)}));
  EXPECT_FALSE(matches(beyond, kAllGather, UINT64_MAX - 1));
}

TEST(Snapshot, NoLimitReachesTheLargestSize) {
  const Snapshot s = compiled(policyOf(nccl::Collective::kAllReduce, {ruleOf(8, kNoLimit)}));
  EXPECT_FALSE(matches(s, kAllReduce, 7));
  EXPECT_TRUE(matches(s, kAllReduce, UINT64_MAX));
}

TEST(Snapshot, RegistrationIsIgnoredUnlessTheApplicationIsUniform) {
  Rule rule = ruleOf(0, kNoLimit);
  rule.regBuff = true;
  Policy policy = policyOf(nccl::Collective::kAllReduce, {rule});
  const Request registered{kAllReduce, 1024, 1, Registered::kYes};
  EXPECT_TRUE(compiled(policy).find(registered).empty());
  policy.options.uniformApplication = true;
  const Snapshot s = compiled(policy);
  EXPECT_FALSE(s.find(registered).empty());
  EXPECT_TRUE(s.find({kAllReduce, 1024, 1, Registered::kNo}).empty());
  EXPECT_TRUE(s.find({kAllReduce, 1024, 1, Registered::kUnknown}).empty());
}

TEST(Snapshot, TablesOfOtherShapesAreLeftOut) {
  Policy policy = policyOf(nccl::Collective::kAllReduce, {ruleOf(0, kNoLimit)});
  policy.tables[0].layout.nodes = {4, 4};
  EXPECT_FALSE(matches(compiled(policy), kAllReduce, 64));
  EXPECT_TRUE(matches(compiled(policy, {32, 4, std::nullopt, 6}), kAllReduce, 64));
}

TEST(Snapshot, EndlessOverlapIsRefusedQuickly) {
  std::vector<Rule> rules;
  for (uint64_t i = 0; i < 20000; i++) {
    rules.push_back(ruleOf(i, 1000000 - i));
    rules.back().pipeOps = Range{i, i};
  }
  const Result<Snapshot> made = Snapshot::compile(policyOf(nccl::Collective::kAllReduce, rules), kShape);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.message().find("pipeOps"), std::string::npos);
}

TEST(Snapshot, ManyPlainRulesOverEachOtherAreFine) {
  std::vector<Rule> rules;
  for (uint64_t i = 0; i < 20000; i++) rules.push_back(ruleOf(20000 - i, 1000000 + i));
  const Snapshot s = compiled(policyOf(nccl::Collective::kAllReduce, rules));
  EXPECT_EQ(s.explain({kAllReduce, 500000}), (Origin{0, 0}));
  EXPECT_EQ(s.explain({kAllReduce, 1}), (Origin{0, 19999}));
}

}  // namespace
}  // namespace polyrail
