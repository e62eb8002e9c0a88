// SPDX-License-Identifier: Apache-2.0
// The learner on sweeps whose truth is known; the bars measure the same over many.
#include "cli/learn/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/policy/policy_file.h"
#include "test/synthetic/truth.h"
#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Protocol;
using synthetic::Truth;
using testing::HasSubstr;

const Arm kLl{Algorithm::kTree, Protocol::kLl, {}}, kSimple{Algorithm::kRing, Protocol::kSimple, {}};

// LL wins below, Simple above 1 MiB (its crossing); the default is half as fast again as the worse of the two.
Truth twoArms() {
  Truth t{
      synthetic::doublings(4 << 10, 256 << 20), {kLl, kSimple, {Algorithm::kTree, Protocol::kSimple, {}}}, {}, {}};
  t.times = {{20, 60}, {70, 10}, {140, 120}};
  t.defaultPicks.assign(t.sizes.size(), 2);
  return t;
}

std::vector<Rule> learnt(const Truth& truth, size_t repeats, const LearnOptions& options = {}) {
  const Learned learned = learn(sweepsOf(synthetic::measureAll(truth, repeats, 3)).sweeps, options);
  return learned.tables.empty() ? std::vector<Rule>() : learned.tables[0].rules;
}

TEST(Learn, FindsTwoWinnersAndTheirCrossing) {
  const std::vector<Rule> rules = learnt(twoArms(), 5);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].choices[0].protocol, Protocol::kLl);
  EXPECT_EQ(rules[1].choices[0].protocol, Protocol::kSimple);
  EXPECT_EQ(rules[0].from, 4096u) << "the smallest measured size";
  EXPECT_NEAR(std::log2(static_cast<double>(rules[0].to)), 20, 0.5);
  EXPECT_EQ(rules[0].to, rules[1].from) << "half-open, without a gap";
  EXPECT_GT(rules[1].to, 256u << 20);
  EXPECT_LE(rules[1].to, 368u << 20) << "no further than sqrt(2) beyond the largest";
}

TEST(Learn, EvidenceIsThatOfTheTruth) {
  const std::vector<Rule> rules = learnt(twoArms(), 5);
  const Evidence& e = *rules[1].evidence;
  EXPECT_LT(e.gainLow, e.gain);
  EXPECT_LT(e.gain, e.gainHigh);
  EXPECT_NEAR(e.gain, 0.88, 0.06);
  EXPECT_EQ(e.candidates, 3u);
  EXPECT_EQ(e.samples % 10, 0u) << "five repeats, two placements";
  EXPECT_EQ(e.wrong, 0u);
  EXPECT_TRUE(e.ll128Default);
  const TimeModel& time = *rules[1].choices[0].time;
  EXPECT_NEAR(time.usPerMib, 10, 1);
}

TEST(Learn, EqualArmsGiveNoRule) {
  for (size_t repeats : {1, 2, 3, 5})
    EXPECT_TRUE(learnt(synthetic::equalArms(twoArms().sizes, twoArms().arms), repeats).empty()) << repeats;
}

TEST(Learn, ASingleRunProvesOnlyLargeGains) {
  Truth truth = twoArms();
  EXPECT_FALSE(learnt(truth, 1).empty()) << "several times faster";
  for (auto& line : truth.times) line = {25, 12};
  truth.times[0] = {22, 10.5};  // 12 % faster
  EXPECT_TRUE(learnt(truth, 1).empty());
}

TEST(Learn, AnOutlierInOnePlacementDecidesNothing) {
  const Truth equal = synthetic::equalArms(twoArms().sizes, twoArms().arms);
  std::vector<NcclTestsRun> runs = synthetic::measureAll(equal, 5, 9);
  for (NcclTestsRun& run : runs)
    if (!isForced(run.forced)) run.rows[8].outOfPlace->timeUs *= 6;  // the default, out of place, in every run
  EXPECT_TRUE(learn(sweepsOf(runs).sweeps, {}).tables.empty());
}

TEST(Learn, AnArmOfTwoMindsIsNotChosen) {
  std::vector<NcclTestsRun> runs = synthetic::measureAll(twoArms(), 5, 11);
  for (NcclTestsRun& run : runs)
    if (run.forced.protocol == "simple" && run.forced.algorithm == "ring" && run.rows[0].outOfPlace->timeUs > 0) {
      static int seen = 0;
      if (seen++ % 2) continue;  // three runs of five are ten times slower at large sizes
      for (Row& row : run.rows)
        if (row.sizeBytes > 4 << 20) row.outOfPlace->timeUs *= 40, row.inPlace->timeUs *= 40;
    }
  for (const Table& table : learn(sweepsOf(runs).sweeps, {}).tables)
    for (const Rule& rule : table.rules) {
      if (rule.from <= 8 << 20) continue;
      EXPECT_NE(rule.choices[0].algorithm, Algorithm::kRing);
    }
}

TEST(Learn, AmongEqualsTheFewestChannels) {
  Truth truth = twoArms();
  truth.arms = {{Algorithm::kRing, Protocol::kSimple, 16},
                {Algorithm::kRing, Protocol::kSimple, 4},
                {Algorithm::kTree, Protocol::kSimple, {}}};
  truth.times = {{70, 10}, {70, 10}, {140, 120}};
  for (const Rule& rule : learnt(truth, 5)) EXPECT_EQ(rule.choices[0].channels, 4);
}

TEST(Learn, MoreChannelsWhenTheyAreWorthIt) {
  Truth truth = twoArms();
  truth.arms = {{Algorithm::kRing, Protocol::kSimple, 16},
                {Algorithm::kRing, Protocol::kSimple, 4},
                {Algorithm::kTree, Protocol::kSimple, {}}};
  truth.times = {{70, 10}, {70, 14}, {140, 120}};
  EXPECT_EQ(learnt(truth, 5).back().choices[0].channels, 16);
}

TEST(Learn, FallbacksAreOtherPairsThatBeatTheDefaultToo) {
  Truth truth = twoArms();
  truth.times = {{20, 10}, {25, 12}, {140, 120}};
  const std::vector<Rule> rules = learnt(truth, 5);
  ASSERT_EQ(rules.size(), 1u);
  ASSERT_EQ(rules[0].choices.size(), 2u);
  EXPECT_EQ(rules[0].choices[1].algorithm, Algorithm::kRing);
}

TEST(Learn, Ll128OnlyWhereNcclEnablesItAndResultsWereChecked) {
  Truth truth = twoArms();
  truth.arms[1] = {Algorithm::kRing, Protocol::kLl128, {}};
  const auto choosesLl128 = [&](auto change) {
    std::vector<NcclTestsRun> runs = synthetic::measureAll(truth, 5, 3);
    for (NcclTestsRun& run : runs) change(run);
    for (const Table& t : learn(sweepsOf(runs).sweeps, {}).tables)
      for (const Rule& r : t.rules)
        for (const Choice& c : r.choices)
          if (c.protocol == Protocol::kLl128) return true;
    return false;
  };
  EXPECT_TRUE(choosesLl128([](NcclTestsRun&) {}));
  EXPECT_FALSE(choosesLl128([](NcclTestsRun& run) { run.costTable.reset(); })) << "not known to be on by default";
  EXPECT_FALSE(choosesLl128([](NcclTestsRun& run) {
    for (Row& row : run.rows) row.outOfPlace->wrong.reset(), row.inPlace->wrong.reset();
  })) << "never checked";
  EXPECT_FALSE(choosesLl128([](NcclTestsRun& run) {
    if (run.forced.protocol == "ll128")
      for (Row& row : run.rows) row.inPlace->wrong = 3;
  })) << "wrong results";
}

TEST(Learn, NoMoreChannelsThanTheCommunicatorHas) {
  Truth truth = twoArms();
  truth.arms[1].channels = 32;  // the default's pool is 16
  for (const Rule& rule : learnt(truth, 5)) EXPECT_FALSE(rule.choices[0].channels);
}

TEST(Learn, EqualInputsGiveEqualPolicies) {
  Policy a, b;
  const Truth truth = synthetic::randomTruth(5, twoArms().sizes, synthetic::usualArms({4, 8}));
  a.tables = learn(sweepsOf(synthetic::measureAll(truth, 5, 1)).sweeps, {}).tables;
  std::vector<NcclTestsRun> runs = synthetic::measureAll(truth, 5, 1);
  b.tables = learn(sweepsOf(runs).sweeps, {}).tables;
  EXPECT_FALSE(a.tables.empty());
  EXPECT_EQ(writePolicy(a), writePolicy(b));
  EXPECT_TRUE(validatePolicy(a).ok()) << validatePolicy(a).message();
}

TEST(Learn, TheRuleLimitHolds) {
  ASSERT_EQ(learnt(twoArms(), 5).size(), 2u);
  LearnOptions options;
  options.maxRules = 1;
  EXPECT_EQ(learnt(twoArms(), 5, options).size(), 1u);
}

TEST(Learn, WithoutADefaultThereIsNothingToCompareWith) {
  std::vector<NcclTestsRun> runs;
  for (NcclTestsRun& run : synthetic::measureAll(twoArms(), 3, 1))
    if (isForced(run.forced)) runs.push_back(run);
  const Learned learned = learn(sweepsOf(runs).sweeps, {});
  EXPECT_TRUE(learned.tables.empty());
  ASSERT_EQ(learned.decisions.size(), 1u);
  EXPECT_THAT(learned.decisions[0].reason, HasSubstr("default was not measured"));
}

TEST(Learn, ProgressCountsSweeps) {
  std::vector<size_t> seen;
  learn(sweepsOf(synthetic::measureAll(twoArms(), 2, 1)).sweeps, {}, [&](size_t done) { seen.push_back(done); });
  EXPECT_THAT(seen, testing::ElementsAre(1));
}

}  // namespace
}  // namespace polyrail::cli
