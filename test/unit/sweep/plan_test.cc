// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/plan.h"

#include <gtest/gtest.h>

#include "cli/sweep/plan_file.h"

namespace polyrail::sweep {
namespace {

constexpr char kWhole[] = R"({
  "polyrail_sweep": 1,
  "collectives": ["allreduce", "allgather"],
  "layouts": [{"nodes": 2, "ranks_per_node": 8}, {"nodes": 4, "ranks_per_node": 8}],
  "sizes": {"min": "4KiB", "max": "1GiB", "factor": 4},
  "algorithms": ["ring", "tree", "nvls"],
  "protocols": ["ll", "simple"],
  "channels": [0, 8],
  "repeats": 3, "attempts": 1, "timeout": 90.5, "iterations": 50, "warmup": 2, "full": true,
  "launcher": "mpirun", "program": "/opt/{test}_perf", "arguments": "-d half",
  "environment": {"NCCL_IB_HCA": "mlx5"}
})";

TEST(PlanFile, ReadsAllThereIs) {
  const Result<Plan> read = parsePlan(kWhole, "plan.json");
  ASSERT_TRUE(read.ok()) << read.message();
  const Plan& p = read.value();
  EXPECT_EQ(p.collectives.size(), 2u);
  EXPECT_EQ(p.layouts[1], (Layout{4, 8}));
  EXPECT_EQ(sizesOf(p).size(), 10u);
  EXPECT_EQ(armsOf(p, nccl::Collective::kAllGather).size(), 6u);  // ring/ll, ring/simple, nvls/simple, each twice
  EXPECT_EQ(p.timeout, 90.5);
  EXPECT_TRUE(p.full);
  EXPECT_EQ(p.environment.at("NCCL_IB_HCA"), "mlx5");
  EXPECT_TRUE(checkPlan(p).ok()) << checkPlan(p).message();
}

TEST(PlanFile, WhatIsWrittenIsReadAgain) {
  const Plan plan = parsePlan(kWhole, "plan.json").value();
  const Result<Plan> again = parsePlan(planJson(plan).dump(), "again");
  ASSERT_TRUE(again.ok()) << again.message();
  EXPECT_EQ(planJson(again.value()), planJson(plan));
}

TEST(PlanFile, ErrorsNameThePlaceAndTheRemedy) {
  const struct {
    const char *text, *says;
  } cases[] = {
      {"{\n\"sizes\": {}}", "plan.json:1: is not a sweep's plan"},
      {"{\"polyrail_sweep\": 2}", "format 2 is not known"},
      {"{\"polyrail_sweep\": 1,\n\"allgorithms\": []}", "plan.json:2: unknown key \"allgorithms\""},
      {"{\"polyrail_sweep\": 1,\n\n\"protocols\": [\"ll\", \"lll\"]}", "plan.json:3: protocols[1]"},
      {"{\"polyrail_sweep\": 1, \"sizes\": {\"min\": \"a lot\"}}", "sizes.min"},
      {"{\"polyrail_sweep\": 1, \"layouts\": [{\"nodes\": 2}]}", "ranks_per_node"},
      {"{\"polyrail_sweep\": 1", "plan.json:1"},
  };
  for (const auto& c : cases) {
    const Result<Plan> read = parsePlan(c.text, "plan.json");
    ASSERT_FALSE(read.ok()) << c.text;
    EXPECT_NE(read.message().find(c.says), std::string::npos) << read.message();
  }
}

TEST(Plan, RangesAreChecked) {
  const auto says = [](auto change) {
    Plan plan;
    plan.layouts = {{2, 8}};
    change(plan);
    return checkPlan(plan).message();
  };
  EXPECT_EQ(says([](Plan&) {}), "");
  EXPECT_NE(says([](Plan& p) { p.factor = 1; }).find("factor: 1 "), std::string::npos);
  EXPECT_NE(says([](Plan& p) { p.layouts.clear(); }).find("layouts"), std::string::npos);
  EXPECT_NE(says([](Plan& p) { p.layouts = {{1, 1}}; }).find("1x1"), std::string::npos);
  EXPECT_NE(says([](Plan& p) { p.channels = {65}; }).find("channels: 65"), std::string::npos);
  EXPECT_NE(says([](Plan& p) { p.maxBytes = 1; }).find("sizes"), std::string::npos);
  EXPECT_NE(says([](Plan& p) { p.timeout = 0; }).find("timeout"), std::string::npos);
  EXPECT_NE(says([](Plan& p) {
              p.collectives = {nccl::Collective::kBroadcast};
              p.algorithms = {nccl::Algorithm::kTree};
            }).find("no kernel for broadcast"),
            std::string::npos);
}

TEST(Plan, LayoutsAreNodesTimesRanks) {
  EXPECT_EQ(parseLayout("16x8").value(), (Layout{16, 8}));
  for (const char* bad : {"", "8", "x8", "2x", "2x8x", "2*8", "-", "2x99999999999"})
    EXPECT_FALSE(parseLayout(bad).ok()) << bad;
}

}  // namespace
}  // namespace polyrail::sweep
