// SPDX-License-Identifier: Apache-2.0
// The plan of a measurement: what a person may write and what the other end may send.
#include "cli/perf/plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;
using Sizes = std::vector<uint64_t>;

PerfPlan small() {
  PerfPlan plan;
  plan.sizes = {8, 1 << 20};
  plan.rails = {"all"};
  plan.inFlight = {8};
  return plan;
}

TEST(Sizes, ListsAndRanges) {
  EXPECT_EQ(parseSizes("8,64K").value(), (Sizes{8, 65536}));
  EXPECT_EQ(parseSizes("1K-8K,0").value(), (Sizes{1024, 2048, 4096, 8192, 0}));
  EXPECT_EQ(parseSizes("3-10").value(), (Sizes{3, 6}));
  EXPECT_EQ(parseSizes("7-7").value(), (Sizes{7}));
}

TEST(Sizes, WhatIsNoneIsNamed) {
  for (const char* bad : {"", "x", "8,", "8-4", "0-8", "8-", "-8", "1-2-3"}) {
    const auto sizes = parseSizes(bad);
    ASSERT_FALSE(sizes.ok()) << bad;
    EXPECT_NE(sizes.message().find("is no"), std::string::npos) << sizes.message();
  }
}

// A range up to the largest number ends.
TEST(Sizes, ARangeStopsWhereMessagesDo) { EXPECT_EQ(parseSizes("1-8589934592G").value().size(), 32u); }

TEST(Plan, SurvivesItsJourney) {
  PerfPlan plan = small();
  plan.verify = Verify::kEvery;
  plan.messages = 5, plan.gpu = true, plan.latency = false;
  const Result<PerfPlan> there = planFrom(planJson(plan));
  ASSERT_TRUE(there.ok()) << there.message();
  EXPECT_EQ(planJson(there.value()), planJson(plan));
}

struct Bad {
  const char* member;
  Json value;
  const char* says;
};

TEST(Plan, WhatThePeerMustNotAskIsRefusedWithItsName) {
  const Bad all[] = {{"sizes", Json::array(), "nothing to measure"},
                     {"sizes", {uint64_t{1} << 31}, "less than 2 GiB"},
                     {"sizes", Json(std::vector<int>(20'000, 1)), "10000 measurements"},
                     {"in_flight", {33}, "1 to 32"},
                     {"in_flight", {0}, "1 to 32"},
                     {"seconds", 0, "seconds"},
                     {"seconds", 1e9, "seconds"},
                     {"pings", 0, "pings"},
                     {"messages", 2'000'000'000, "messages"},
                     {"patience", -1, "patience"},
                     {"sizes", "many", "not one that this version understands"},
                     {"gpu", 3, "not one that this version understands"}};
  for (const Bad& bad : all) {
    Json json = planJson(small());
    json[bad.member] = bad.value;
    const Result<PerfPlan> plan = planFrom(json);
    ASSERT_FALSE(plan.ok()) << bad.member << " " << bad.value;
    EXPECT_NE(plan.message().find(bad.says), std::string::npos) << plan.message();
  }
}

TEST(Plan, MoreMemoryThanAnyHostHasIsRefused) {
  PerfPlan plan = small();
  plan.sizes = {(uint64_t{1} << 31) - 1}, plan.inFlight = {32};
  EXPECT_TRUE(checkPlan(plan).ok());  // just below 64 GiB
  EXPECT_FALSE(planFrom(Json::object()).ok());
}

}  // namespace
}  // namespace polyrail::cli
