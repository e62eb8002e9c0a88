// SPDX-License-Identifier: Apache-2.0
#include "test/unit/lint/lint_cases.h"

namespace polyrail::test {
namespace {

constexpr Collective kSum = Collective::kAllReduce;
constexpr uint64_t kGib = uint64_t{1} << 30;

TEST(Sizes, Gap) {
  const Policy p = oneTable(kSum, {ruleOf(0, 100, {ring()}), ruleOf(200, kNoLimit, {ring()})});
  EXPECT_EQ(found(p, "gap"), Places{"tables[0].rules[1].from"});
  EXPECT_EQ(severityOf(p, "gap"), Severity::kNote);
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 100, {ring()}), ruleOf(100, kNoLimit, {ring()})}), "gap"), Places{});
}

TEST(Sizes, InclusiveEnd) {
  const Policy p = oneTable(kSum, {ruleOf(0, 65535, {ring()}), ruleOf(65536, kNoLimit, {ring()})});
  EXPECT_EQ(found(p, "inclusive-end"), Places{"tables[0].rules[1].from"});
  EXPECT_EQ(found(p, "gap"), Places{});
}

TEST(Sizes, ThirtyTwoBits) {
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 4294967295, {ring()})}), "32-bit-end"), Places{"tables[0].rules[0].to"});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 4294967296, {ring()})}), "32-bit-end"), Places{"tables[0].rules[0].to"});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, kNoLimit, {ring()})}), "32-bit-end"), Places{});
}

TEST(Sizes, EndBelowFourGib) {
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, kGib, {ring()})}), "open-end"), Places{"tables[0].rules[0].to"});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 8 * kGib, {ring()})}), "open-end"), Places{});
  EXPECT_EQ(found(oneTable(kSum, {}), "empty-table"), Places{"tables[0]"});
}

// 32 ranks times 16 GiB is in no GPU's memory; as sizes of the whole message it is an ordinary sweep.
TEST(Sizes, TotalBytesWrittenPerRank) {
  const std::vector<Rule> rules = {ruleOf(0, 16 * kGib, {ring()})};
  EXPECT_EQ(found(oneTable(Collective::kAllGather, rules), "wrong-unit"), Places{"tables[0]"});
  EXPECT_EQ(found(oneTable(kSum, rules), "wrong-unit"), Places{});
  EXPECT_EQ(found(oneTable(Collective::kAllGather, {ruleOf(0, kGib, {ring()})}), "wrong-unit"), Places{});
  EXPECT_EQ(found(oneTable(kSum, {ruleOf(0, 400 * kGib, {ring()})}), "wrong-unit"), Places{"tables[0]"});
}

TEST(Sizes, SameEndAsAllReduce) {
  const Table sum = tableOf(kSum, {ruleOf(0, kGib, {ring()})});
  const Table gather = tableOf(Collective::kReduceScatter, {ruleOf(0, kGib, {ring()})});
  const Table divided = tableOf(Collective::kReduceScatter, {ruleOf(0, kGib / 32, {ring()})});
  EXPECT_EQ(found(policyOf({sum, gather}), "unit-suspect"), Places{"tables[1]"});
  EXPECT_EQ(found(policyOf({sum, divided}), "unit-suspect"), Places{});
  EXPECT_EQ(found(policyOf({gather}), "unit-suspect"), Places{});
}

}  // namespace
}  // namespace polyrail::test
