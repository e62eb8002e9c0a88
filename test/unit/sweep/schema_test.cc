// SPDX-License-Identifier: Apache-2.0
// policies/sweep.schema.json says of a plan what the parser and the checks say.
#include "test/unit/schema_verdicts.h"

#include "cli/sweep/plan_file.h"

namespace polyrail::sweep {
namespace {

bool accepts(const std::string& json) {
  const Result<Plan> read = parsePlan(json, "plan.json");
  return read.ok() && checkPlan(read.value()).ok();
}

// A plan that is whole but for these members.
std::string planOf(const std::string& members) {
  return R"({"polyrail_sweep": 1, "layouts": [{"nodes": 2, "ranks_per_node": 8}], )" + members + "}";
}

void expectBoth(const std::vector<std::string>& documents, bool accepted) {
  for (const std::string& json : documents) EXPECT_EQ(accepts(json), accepted) << json;
  const std::vector<std::string> lines = test::schemaVerdictsOf("sweep.schema.json", documents);
  SKIP_WITHOUT_SCHEMA(lines);
  for (size_t i = 0; i < lines.size(); i++) EXPECT_EQ(lines[i] == "valid\n", accepted) << documents[i] << lines[i];
}

TEST(SweepSchema, TakesWhatThePlanTakes) {
  Plan plan;
  plan.layouts = {{2, 8}, {1, 2}};
  plan.environment = {{"NCCL_IB_HCA", "mlx5"}};
  expectBoth(
      {
          planJson(plan).dump(),
          planOf(R"("comment": [1], "$schema": "x", "x-y": null)"),
          planOf(R"("collectives": ["broadcast", "reduce", "allgather", "reducescatter", "allreduce"])"),
          planOf(R"("algorithms": ["tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"])"),
          planOf(R"("sizes": {"min": "64KiB", "max": 1099511627776, "factor": 1048576, "x-": 1})"),
          planOf(R"("channels": [0, 64], "repeats": 100, "timeout": 0.1, "warmup": 0, "full": true)"),
      },
      true);
}

TEST(SweepSchema, RefusesWhatThePlanRefuses) {
  expectBoth(
      {
          "[]",
          R"({"layouts": [{"nodes": 2, "ranks_per_node": 8}]})",
          R"({"polyrail_sweep": 2, "layouts": [{"nodes": 2, "ranks_per_node": 8}]})",
          R"({"polyrail_sweep": 1, "layouts": []})",
          R"({"polyrail_sweep": 1, "layouts": [{"nodes": 2}]})",
          R"({"polyrail_sweep": 1, "layouts": [{"nodes": 0, "ranks_per_node": 8}]})",
          R"({"polyrail_sweep": 1, "layouts": [{"nodes": 2, "ranks_per_node": 8, "gpus": 8}]})",
          planOf(R"("collective": ["allreduce"])"),
          planOf(R"("collectives": [])"),
          planOf(R"("collectives": ["alltoall"])"),
          planOf(R"("algorithms": ["Ring"])"),
          planOf(R"("protocols": "ll")"),
          planOf(R"("sizes": {"min": "a lot"})"),
          planOf(R"("sizes": {"factor": 1})"),
          planOf(R"("channels": [65])"),
          planOf(R"("repeats": 0)"),
          planOf(R"("attempts": 1.5)"),
          planOf(R"("timeout": 0)"),
          planOf(R"("iterations": 0)"),
          planOf(R"("warmup": -1)"),
          planOf(R"("full": 1)"),
          planOf(R"("program": "")"),
          planOf(R"("environment": {"A": 1})"),
          planOf(R"("environment": ["A=1"])"),
      },
      false);
}

}  // namespace
}  // namespace polyrail::sweep
