// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace polyrail::sweep {
namespace {

using Truth = std::function<double(size_t arm, size_t size)>;

// Answers all questions of a race without noise; returns them.
std::vector<Batch> runAll(Race& race, const Truth& us) {
  std::vector<Batch> asked;
  while (const std::optional<Batch> batch = race.next()) {
    asked.push_back(*batch);
    std::vector<Sample> times;
    for (size_t s = batch->first; s <= batch->last; s += batch->stride)
      times.push_back({us(batch->arm, s), us(batch->arm, s)});
    race.take(times);
  }
  return asked;
}

// Arm 1 is best below size 5, arm 2 up to 9, arm 3 from there on; the others trail far behind.
double crossing(size_t arm, size_t size) {
  const double x = std::exp2(static_cast<double>(size));
  switch (arm) {
    case 1: return 10 + x;
    case 2: return 30 + x / 4;
    case 3: return 120 + x / 16;
    default: return 200 + 3 * x;
  }
}

TEST(Race, FindsTheBestOfEverySizeOnPartOfTheGrid) {
  Race race(9, 14, {.repeats = 3});
  runAll(race, crossing);
  for (size_t s = 0; s < 14; s++) {
    double least = HUGE_VAL;
    for (size_t a = 0; a < 9; a++) least = std::fmin(least, crossing(a, s));
    EXPECT_LE(crossing(race.best(s), s), 1.03 * least) << "size " << s;
  }
  EXPECT_LE(race.coverage().share(), 0.4);
  EXPECT_EQ(race.coverage().grid, 8u * 14 * 3);
}

TEST(Race, WhatWinsIsMeasuredAsOftenAsAsked) {
  Race race(9, 14, {.repeats = 4});
  runAll(race, crossing);
  for (size_t s = 0; s < 14; s++) EXPECT_GE(race.cells().runs(race.best(s), s), 4u) << "size " << s;
}

TEST(Race, TheDefaultIsFirstAndLastAndEndsEveryRound) {
  Race race(5, 10, {.repeats = 3});
  const std::vector<Batch> asked = runAll(race, crossing);
  EXPECT_EQ(asked.front().arm, 0u);
  for (size_t i = 1; i < asked.size(); i++)
    EXPECT_TRUE(asked[i].round == asked[i - 1].round || asked[i - 1].arm == 0) << "before round " << asked[i].round;
  EXPECT_EQ(asked.back().arm, 0u);
  EXPECT_EQ(asked.back().count(), 10u);
}

TEST(Race, FullMeasuresEverythingEquallyOften) {
  Race race(4, 6, {.repeats = 2, .full = true});
  runAll(race, crossing);
  for (size_t a = 1; a < 4; a++)
    for (size_t s = 0; s < 6; s++) EXPECT_EQ(race.cells().runs(a, s), 2u);
  EXPECT_EQ(race.coverage().share(), 1);
}

TEST(Race, TheSameAnswersGiveTheSameQuestions) {
  Race one(12, 20, {}), two(12, 20, {});
  EXPECT_EQ(runAll(one, crossing), runAll(two, crossing));
}

TEST(Race, AnArmThatFailsIsGivenUpAndTheOthersGoOn) {
  Race race(5, 10, {.repeats = 3, .attempts = 2});
  size_t failures = 0;
  while (const std::optional<Batch> batch = race.next()) {
    if (batch->arm == 2) {
      race.fail(), failures++;
      continue;
    }
    std::vector<Sample> times;
    for (size_t s = batch->first; s <= batch->last; s += batch->stride)
      times.push_back({crossing(batch->arm, s), NAN});
    race.take(times);
  }
  EXPECT_EQ(failures, 2u);
  EXPECT_TRUE(race.isOut(2));
  for (size_t s = 0; s < 10; s++) EXPECT_NE(race.best(s), 2u);
  EXPECT_EQ(race.best(9), 3u);
}

TEST(Race, WithoutADefaultThereIsNothingToCompareWith) {
  Race race(3, 4, {.attempts = 3});
  for (int i = 0; i < 3; i++) {
    ASSERT_TRUE(race.next());
    race.fail();
  }
  EXPECT_FALSE(race.next());
}

TEST(Race, EndsWhateverTheShape) {
  for (size_t arms : {1, 2, 3, 40})
    for (size_t sizes : {1, 2, 4, 5, 9, 31})
      for (size_t repeats : {1, 2, 7}) {
        Race race(arms, sizes, {.repeats = repeats});
        EXPECT_LT(runAll(race, crossing).size(), arms * sizes * (repeats + 2) + 100);
        EXPECT_LE(race.coverage().share(), 3) << arms << " arms, " << sizes << " sizes";
      }
}

TEST(Race, OneStrayPlacementDoesNotEndAnArm) {
  Race race(9, 14, {.repeats = 3});
  size_t runs = 0;
  while (const std::optional<Batch> batch = race.next()) {
    std::vector<Sample> times;
    for (size_t s = batch->first; s <= batch->last; s += batch->stride) {
      const double t = crossing(batch->arm, s);
      times.push_back(++runs % 3 == 0 ? Sample{t, 4 * t} : Sample{3 * t, t});
    }
    race.take(times);
  }
  EXPECT_EQ(race.best(0), 1u);
  EXPECT_EQ(race.best(13), 3u);
}

TEST(Cells, BetweenMeasuredSizesIsAPowerLaw) {
  Cells cells(1, 5);
  cells.add(0, 0, {10, NAN});
  cells.add(0, 4, {NAN, 160});
  EXPECT_NEAR(std::exp(cells.estimate(0, 2)), 40, 1e-9);
  EXPECT_NEAR(std::exp(cells.estimate(0, 1)), 20, 1e-9);
}

TEST(Cells, ScatterIsThatOfRepeats) {
  Cells cells(1, 1);
  EXPECT_EQ(cells.scatter(0, 0.05), 0.05);
  for (int i = 0; i < 40; i++) cells.add(0, 0, {i % 2 ? 100.0 : 110.0, NAN});
  EXPECT_NEAR(cells.scatter(0, 0.05), std::log(1.1) / 0.954, 1e-9);
}

}  // namespace
}  // namespace polyrail::sweep
