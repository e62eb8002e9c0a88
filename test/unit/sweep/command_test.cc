// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/command.h"

#include <gtest/gtest.h>

namespace polyrail::sweep {
namespace {

Plan planWith(const std::string& launcher) {
  Plan plan;
  plan.layouts = {{2, 8}};
  plan.launcher = launcher;
  return plan;
}

Start treeStart() {
  return {nccl::Collective::kAllGather,
          {2, 8},
          1024,
          4096,
          2,
          settingsOf(cli::Arm{nccl::Algorithm::kTree, nccl::Protocol::kLl128, 4})};
}

TEST(Command, PresetsBecomeCommandLines) {
  const std::string env =
      "env NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING POLYRAIL_POLICY=none NCCL_ALGO=tree NCCL_PROTO=ll128 "
      "NCCL_MIN_NCHANNELS=4 NCCL_MAX_NCHANNELS=4 ";
  const std::string run = "all_gather_perf -b 1024 -e 4096 -f 2 -n 20 -w 5 -c 1";
  EXPECT_EQ(commandLine(planWith("srun"), treeStart()),
            env + "srun --export=ALL --nodes=2 --ntasks=16 --ntasks-per-node=8 " + run);
  const std::string mpi = commandLine(planWith("mpirun"), treeStart());
  EXPECT_TRUE(mpi.starts_with(env + "mpirun -np 16 --map-by ppr:8:node -x NCCL_DEBUG ")) << mpi;
  EXPECT_TRUE(mpi.ends_with("-x NCCL_MAX_NCHANNELS " + run)) << mpi;
  EXPECT_EQ(commandLine(planWith("local"), treeStart()), env + run + " -g 16");
}

TEST(Command, ValuesAreOneShellWordAndNotExpandedAgain) {
  Plan plan = planWith("env {env} {program} {args} ${HOME}");
  plan.environment["X"] = "a b'c {args}";
  EXPECT_TRUE(checkTemplates(plan).ok()) << checkTemplates(plan).message();
  const std::string line = commandLine(plan, treeStart());
  EXPECT_NE(line.find(R"( X='a b'\''c {args}' NCCL_ALGO)"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(" ${HOME}")) << line;
}

TEST(Command, TheDefaultSetsNothing) {
  EXPECT_TRUE(settingsOf(std::nullopt).empty());
  EXPECT_EQ(settingsOf(cli::Arm{}).size(), 2u);
}

}  // namespace
}  // namespace polyrail::sweep
