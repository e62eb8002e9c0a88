// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "cli/policy/cover.h"
#include "test/unit/lint/lint_cases.h"

namespace polyrail::test {
namespace {

constexpr Collective kSum = Collective::kAllReduce;
const Layout kFour = {{4, 4}, {8, 8}, {}, {}};
const Layout kTwoToEight = {{2, 8}, {8, 8}, {}, {}};

TEST(Shadow, SecondTableOfTheSameShapeIsDead) {
  const Policy p = policyOf({tableOf(kSum, {ruleOf(0, 4096, {ring()})}), tableOf(kSum, {ruleOf(0, 4096, {ring()})})});
  EXPECT_EQ(found(p, "shadowed-rule"), Places{"tables[1].rules[0]"});
  EXPECT_EQ(severityOf(p, "shadowed-rule"), Severity::kWarning);
}

TEST(Shadow, TogetherEarlierRulesCover) {
  const Table first = tableOf(kSum, {ruleOf(0, 100, {ring()}), ruleOf(100, 200, {ring()})});
  EXPECT_EQ(found(policyOf({first, tableOf(kSum, {ruleOf(50, 150, {ring()})})}), "shadowed-rule"),
            Places{"tables[1].rules[0]"});
  EXPECT_EQ(found(policyOf({first, tableOf(kSum, {ruleOf(50, 201, {ring()})})}), "shadowed-rule"), Places{});
}

TEST(Shadow, FillingGapsIsNoShadow) {
  const Policy p = policyOf({tableOf(kSum, {ruleOf(0, 100, {ring()})}, kFour),
                             tableOf(kSum, {ruleOf(0, 100, {ring()})}, kTwoToEight),
                             tableOf(Collective::kReduce, {ruleOf(0, 100, {ring()})}, kFour)});
  EXPECT_EQ(found(p, "shadowed-rule"), Places{});
}

TEST(Shadow, ShapesTogetherCover) {
  const Policy p = policyOf({tableOf(kSum, {ruleOf(0, 100, {ring()})}, {{2, 4}, {8, 8}, {}, {}}),
                             tableOf(kSum, {ruleOf(0, 100, {ring()})}, {{5, 8}, {1, 8}, {}, {}}),
                             tableOf(kSum, {ruleOf(0, 100, {ring()})}, kTwoToEight)});
  EXPECT_EQ(found(p, "shadowed-rule"), Places{"tables[2].rules[0]"});
}

TEST(Shadow, ConditionsCount) {
  Rule unconditional = ruleOf(0, 100, {ring()}), few = unconditional, many = unconditional;
  few.pipeOps = Range{0, 3};
  many.pipeOps = Range{4, kNoLimit};
  EXPECT_EQ(found(oneTable(kSum, {unconditional, few}), "shadowed-rule"), Places{"tables[0].rules[1]"});
  EXPECT_EQ(found(oneTable(kSum, {few, unconditional}), "shadowed-rule"), Places{});
  EXPECT_EQ(found(oneTable(kSum, {few, many, unconditional}), "shadowed-rule"), Places{"tables[0].rules[2]"});
}

// ABI v2 and v3 say nothing of registration: a rule for "yes" and one for "no" do not cover it all.
TEST(Shadow, RegistrationHasThreeStates) {
  Rule yes = ruleOf(0, 100, {ring()}), no = yes;
  yes.regBuff = true;
  no.regBuff = false;
  EXPECT_EQ(found(oneTable(kSum, {yes, no, ruleOf(0, 100, {ring()})}), "shadowed-rule"), Places{});
}

// The same of NVLink domains before v5.
TEST(Shadow, UnknownDomainsAreNotCovered) {
  Layout any = kFour, asks = kFour;
  asks.nvlDomains = Range{0, kNoLimit};
  const auto rules = {ruleOf(0, 100, {ring()})};
  EXPECT_EQ(found(policyOf({tableOf(kSum, rules, asks), tableOf(kSum, rules, any)}), "shadowed-rule"), Places{});
  EXPECT_EQ(found(policyOf({tableOf(kSum, rules, any), tableOf(kSum, rules, asks)}), "shadowed-rule"),
            Places{"tables[1].rules[0]"});
}

TEST(Shadow, ManyRulesEndInTime) {
  std::vector<Table> tables(20'000, tableOf(kSum, {ruleOf(0, 100, {ring()})}));
  EXPECT_GT(found(policyOf(tables), "shadowed-rule").size(), 1000u);
}

Box smallBox() {
  Box box;
  for (Range& side : box) {
    side.min = *rc::gen::inRange<uint64_t>(0, 2);
    side.max = *rc::gen::inRange<uint64_t>(0, 3);
  }
  return box;
}

bool inside(const Box& box, uint64_t point) {
  for (size_t side = 0; side < kBoxSides; side++, point /= 3)
    if (!box[side].contains(point % 3)) return false;
  return true;
}

// All 3^7 points of a small grid, counted.
RC_GTEST_PROP(Cover, AgreesWithCounting, ()) {
  const Box box = smallBox();
  std::vector<Box> by(*rc::gen::inRange<size_t>(0, 8));
  for (Box& b : by) b = smallBox();
  bool covered = true;
  for (uint64_t point = 0; point < 2187; point++)
    if (inside(box, point))
      covered &= std::any_of(by.begin(), by.end(), [=](const Box& b) { return inside(b, point); });
  const std::optional<bool> answer = isCovered(box, by);
  RC_ASSERT(!answer || *answer == covered);
}

}  // namespace
}  // namespace polyrail::test
