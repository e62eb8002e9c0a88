// SPDX-License-Identifier: Apache-2.0
// Rails that fail while real NCCL moves data over them: with a whole one left the job goes on and every element is
// right.
#include "test/vgpu/suite/expect.h"

using namespace polyrail::vgpu;

namespace {

// On compute capability 9.0, where NCCL asks for no flush: on 8.0 a receive that is done when its NIC's port goes
// down can be flushed by nobody else, which is an error by design.
Job striped(const std::string& collective, const std::string& faults, int nodes = 2) {
  Job job(collective);
  job.on({.nodes = nodes, .rates = {"2Gb/s", "2Gb/s"}, .capability = 90}).fused().faults(faults);
  job.options("-b 16M -e 16M -n 2 --in-place 0");
  return job;
}

bool canFuse() { return ncclVersion() >= 22300; }

}  // namespace

TEST(NcclRepair, ARailIsCutInMidCollective) {
  if (!canFuse()) GTEST_SKIP() << "NCCL 2.22 cannot make one device of two NICs";
  for (const char* collective : {"all_reduce", "all_gather"}) {
    SCOPED_TRACE(collective);
    const Outcome outcome = striped(collective, R"({"faults": [
      {"after_bytes": "6MB", "watch": "n0/mlx5_1", "do": "port_down", "target": "n0/mlx5_1"}]})")
                                .run();
    expectRight(outcome);
    EXPECT_TRUE(outcome.says("mlx5_1:1: the port went down; 1 of 2 paths carry data")) << outcome.lines("polyrail");
  }
}

TEST(NcclRepair, ARailThatGoesSilentIsNoticed) {
  if (!canFuse()) GTEST_SKIP() << "NCCL 2.22 cannot make one device of two NICs";
  const Outcome outcome = striped("all_reduce", R"({"faults": [
    {"after_bytes": "6MB", "watch": "n1/mlx5_0", "do": "black_hole", "target": "n1/mlx5_0"}]})")
                              .run();
  expectRight(outcome);
  EXPECT_TRUE(outcome.says("1 of 2 paths carry data")) << outcome.lines("polyrail");
}

TEST(NcclRepair, ARailFlapsMoreThanOnce) {
  if (!canFuse()) GTEST_SKIP() << "NCCL 2.22 cannot make one device of two NICs";
  const Outcome outcome = striped("all_reduce", R"({"faults": [
    {"after_bytes": "4MB", "watch": "n0/mlx5_1", "do": "port_down", "target": "n0/mlx5_1", "for": "50ms"},
    {"after_bytes": "12MB", "watch": "n0/mlx5_0", "do": "port_down", "target": "n0/mlx5_0", "for": "50ms"}]})")
                              .run();
  expectRight(outcome);
}

TEST(NcclRepair, WithoutAnyRailEveryRankEndsWithAnError) {
  Job job("all_reduce");
  job.on({.rates = {"2Gb/s"}}).faults(R"({"faults": [
    {"after_bytes": "6MB", "watch": "n0/mlx5_0", "do": "port_down", "target": "n0/mlx5_0"}]})");
  const Outcome outcome = job.with("POLYRAIL_NO_PATH_TIMEOUT", "2000").options("-b 16M -e 16M --in-place 0").run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.says("asynchronous rank 0") && outcome.says("asynchronous rank 1")) << outcome.lines("failure");
  EXPECT_TRUE(outcome.says("no path to the peer for 2000 ms")) << outcome.lines("WARN");
  EXPECT_FALSE(outcome.says("still running")) << outcome.lines("vgpu-perf") << outcome.lines("WARN");
}
