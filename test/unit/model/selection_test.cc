// SPDX-License-Identifier: Apache-2.0
// The two selection rules on the cases of a tuner's every possible action.
#include "cli/model/selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <vector>

namespace polyrail::nccl {
namespace {

constexpr int kProtocols = 3;
using CostRow = std::array<float, 6>;  // two algorithms

// Entry 2 is one that NCCL does not allow; 4 is the cheapest.
constexpr CostRow kFilled = {30, 20, -1, 40, 10, 50};

std::pair<int, int> chosen(const std::optional<Selection>& s) {
  return s ? std::pair(s->algorithm, s->protocol) : std::pair(-1, -1);
}

struct Action {
  const char* what;
  size_t at;
  float value;
  std::pair<int, int> until230, from231;
};

TEST(Selection, WhatATunersWritesDo) {
  const Action actions[] = {
      {"nothing", 4, 10, {1, 1}, {1, 1}},
      {"zero on an allowed entry", 0, 0, {0, 0}, {0, 0}},
      {"zero on a forbidden entry", 2, 0, {0, 2}, {1, 1}},
      {"-1 on an allowed entry", 0, -1, {1, 1}, {0, 0}},
      {"another negative", 0, -7, {1, 1}, {0, 0}},
      {"NaN on the best", 4, NAN, {0, 1}, {0, 1}},
      {"FLT_MAX on the best", 4, FLT_MAX, {0, 1}, {0, 1}},
      {"infinity on the best", 4, INFINITY, {0, 1}, {0, 1}},
      {"a tie with the best", 0, 10, {0, 0}, {1, 1}},
  };
  for (const Action& a : actions) {
    CostRow after = kFilled;
    after[a.at] = a.value;
    EXPECT_EQ(chosen(selectUntil230(after, kProtocols)), a.until230) << a.what;
    EXPECT_EQ(chosen(selectFrom231(kFilled, after, kProtocols)), a.from231) << a.what;
  }
}

TEST(Selection, NothingUsableGivesNothing) {
  const CostRow none = {-1, -1, -1, -1, -1, -1};
  EXPECT_EQ(selectUntil230(none, kProtocols), std::nullopt);
  EXPECT_EQ(selectFrom231(none, none, kProtocols), std::nullopt);
}

RC_GTEST_PROP(SelectionProperty, BothRulesAgreeWithoutTiesAndNegatives, ()) {
  const auto before = *rc::gen::container<std::vector<float>>(
      21, rc::gen::map(rc::gen::inRange(-1, 1000), [](int i) { return static_cast<float>(i); }));
  std::vector<float> after = before;
  for (size_t i = 0; i < after.size(); i++)
    if (after[i] >= 0) after[i] += static_cast<float>(i) / 32;  // no two alike
  const auto chosenUntil230 = select(SelectionRule::kUntil230, before, after, kProtocols);
  RC_ASSERT(chosenUntil230 == select(SelectionRule::kFrom231, before, after, kProtocols));
  if (!chosenUntil230) return;
  for (float cost : after) RC_ASSERT(cost < 0 || chosenUntil230->cost <= cost);
}

}  // namespace
}  // namespace polyrail::nccl
