// SPDX-License-Identifier: Apache-2.0
#include "test/unit/lint/lint_cases.h"

namespace polyrail::test {
namespace {

constexpr Collective kSum = Collective::kAllReduce;

// A policy as the learner would write it.
Policy good() {
  Rule small = ruleOf(0, 1 << 20, {choiceOf(Algorithm::kTree, Protocol::kLl), ring()});
  Rule large = ruleOf(1 << 20, kNoLimit, {choiceOf(Algorithm::kRing, Protocol::kSimple, 16)});
  small.evidence = large.evidence = Evidence{0.1, 0.05, 0.2, 0.95, 0.01, 20, 3, 0, true};
  return oneTable(kSum, {small, large});
}

TEST(WholePolicy, NothingToSayOfAGoodOne) {
  for (const Finding& f : lintPolicy(good()))
    ADD_FAILURE() << f.check << " at " << f.place.text() << ": " << f.message;
}

TEST(WholePolicy, Identity) {
  Policy p = good();
  p.identity.gpu.clear();
  EXPECT_EQ(found(p, "identity-missing"), Places{""});
  p.identity = good().identity;
  p.identity.ncclMin = "v2";
  EXPECT_EQ(found(p, "identity-version"), Places{""});
}

TEST(WholePolicy, Layouts) {
  Policy p = good();
  p.tables[0].layout.nodes = {2, kNoLimit};
  EXPECT_EQ(found(p, "open-layout"), Places{"tables[0]"});
  p.tables[0].layout.nodes = {2, 5};
  EXPECT_EQ(found(p, "open-layout"), Places{});
  EXPECT_EQ(found(p, "wide-layout"), Places{"tables[0]"});
  p.tables[0].layout.nodes = {2, 4};
  EXPECT_EQ(found(p, "wide-layout"), Places{});
}

TEST(WholePolicy, Evidence) {
  Policy p = good();
  Evidence& e = *p.tables[0].rules[1].evidence;
  e.gainLow = 0;
  EXPECT_EQ(found(p, "gain-unproven"), Places{"tables[0].rules[1].evidence"});
  e.gainLow = 0.005;
  EXPECT_EQ(found(p, "gain-undetectable"), Places{"tables[0].rules[1].evidence"});
  e.gainLow = 0.05;
  e.samples = 1;
  EXPECT_EQ(found(p, "single-sample"), Places{"tables[0].rules[1].evidence"});
  p.tables[0].rules[0].evidence.reset();
  EXPECT_EQ(found(p, "no-evidence"), Places{"tables[0]"});
}

TEST(WholePolicy, RegistrationAndConstants) {
  Policy p = good();
  p.options.uniformApplication = true;
  p.tables[0].rules[0].regBuff = true;
  EXPECT_EQ(found(p, "registration-rule"), Places{"tables[0].rules[0].reg_buff"});
  p.constants = {{"llMaxBws", {0, 0, 0}, 1}, {"llMaxBws", {0, 1, 0}, 1}, {"llMaxBws", {0, 0, 0}, 2}};
  EXPECT_EQ(found(p, "constants"), Places{""});
  EXPECT_EQ(found(p, "constant-twice"), Places{"constants[2]"});
}

TEST(WholePolicy, FindingsComeInTheOrderOfTheFile) {
  Policy p = policyOf({tableOf(kSum, {ruleOf(0, 100, {ring()})}), tableOf(kSum, {ruleOf(0, 100, {ring()})})});
  p.identity = {};
  const Findings all = lintPolicy(p);
  ASSERT_GT(all.size(), 3u);
  EXPECT_STREQ(all.front().check, "identity-missing");
  EXPECT_EQ(all.back().place.table, 1u);
}

}  // namespace
}  // namespace polyrail::test
