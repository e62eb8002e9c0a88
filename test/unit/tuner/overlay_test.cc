// SPDX-License-Identifier: Apache-2.0
#include "tuner/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "test/unit/tuner/arbitrary.h"

namespace polyrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint32_t> naive(const std::vector<Interval>& intervals, uint64_t at) {
  std::vector<uint32_t> ids;
  for (const Interval& i : intervals) {
    if (at < i.first || at > i.last) continue;
    ids.push_back(i.id);
    if (!i.sheer) break;
  }
  return ids;
}

std::vector<uint32_t> idsAt(const Layers& layers, uint64_t at) {
  const Stretch* found = nullptr;
  for (const Stretch& s : layers.stretches)
    if (s.start <= at) found = &s;
  const auto ids = layers.at(*found);
  return {ids.begin(), ids.end()};
}

TEST(Overlay, NothingIsOneEmptyStretch) {
  const auto layers = overlay({}, 0);
  ASSERT_TRUE(layers);
  ASSERT_EQ(layers->stretches.size(), 1u);
  EXPECT_THAT(idsAt(*layers, 5), IsEmpty());
}

TEST(Overlay, EarlierLiesOnTopAndLaterFillsGaps) {
  const std::vector<Interval> intervals = {{10, 19, 1, false}, {0, 29, 2, false}};
  const auto layers = overlay(intervals, 100);
  EXPECT_THAT(idsAt(*layers, 9), ElementsAre(2));
  EXPECT_THAT(idsAt(*layers, 10), ElementsAre(1));
  EXPECT_THAT(idsAt(*layers, 19), ElementsAre(1));
  EXPECT_THAT(idsAt(*layers, 20), ElementsAre(2));
  EXPECT_THAT(idsAt(*layers, 30), IsEmpty());
}

TEST(Overlay, SheerShowsWhatLiesBeneathUpToTheFirstThatIsNot) {
  const std::vector<Interval> intervals = {{0, 9, 1, true}, {0, 9, 2, true}, {0, 9, 3, false}, {0, 9, 4, false}};
  EXPECT_THAT(idsAt(*overlay(intervals, 100), 3), ElementsAre(1, 2, 3));
}

TEST(Overlay, NeighboursDiffer) {
  const std::vector<Interval> intervals = {{0, 9, 7, false}, {10, 19, 7, false}};
  EXPECT_EQ(overlay(intervals, 100)->stretches.size(), 2u);
}

TEST(Overlay, GivesUpPastTheLimit) {
  std::vector<Interval> intervals;
  for (uint32_t i = 0; i < 100; i++) intervals.push_back({i, 1000 - i, i, true});
  EXPECT_TRUE(overlay(intervals, 20000));
  EXPECT_FALSE(overlay(intervals, 1000));
}

RC_GTEST_PROP(Overlay, EqualsNaiveWalk, ()) {
  std::vector<Interval> intervals;
  for (const Rule& r : *rc::gen::container<std::vector<Rule>>(test::rule()))
    intervals.push_back({r.from, r.to, static_cast<uint32_t>(intervals.size()), r.pipeOps.has_value()});
  const auto layers = overlay(intervals, SIZE_MAX);
  RC_ASSERT(layers->stretches.front().start == 0u);
  for (const Interval& i : intervals)
    for (uint64_t at : {i.first - 1, i.first, i.first + 1, i.last, i.last + 1})
      RC_ASSERT(idsAt(*layers, at) == naive(intervals, at));
}

}  // namespace
}  // namespace polyrail
