// SPDX-License-Identifier: Apache-2.0
// One rank of a job is not like the others: whoever connects says which, and the job ends with an error.
#include <fstream>

#include "test/vgpu/suite/expect.h"

using namespace polyrail::vgpu;

namespace {

Outcome withOddRank(const std::string& setting) {
  Job job("all_reduce");
  // All connections at once: with NCCL's lazy ones the ranks may block in NCCL itself, before any plugin is asked.
  job.on({.nodes = 3})
      .with("NCCL_RUNTIME_CONNECT", "0")
      .with("NCCL_TUNER_PLUGIN", "polyrail")
      .with("POLYRAIL_POLICY", "none");
  return job.options("-b 1K -e 1K --rank-env 2:" + setting).run();
}

}  // namespace

TEST(NcclAgreement, AnotherPolicyIsNamed) {
  const std::string policy = ownFile("odd.json");
  std::ofstream(policy) << R"({"polyrail_policy": 1, "tables": []})";
  const Outcome outcome = withOddRank("POLYRAIL_POLICY=" + policy);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("policy")) << outcome.lines("WARN");
  EXPECT_TRUE(outcome.says("rank 2") || outcome.says("NET/polyrail")) << outcome.lines("WARN");
}

TEST(NcclAgreement, AnotherSettingIsNamed) {
  const Outcome outcome = withOddRank("NCCL_ALGO=Ring");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("NCCL_ALGO")) << outcome.lines("WARN");
}
