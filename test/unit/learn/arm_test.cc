// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/arm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;
using testing::HasSubstr;

Run forced(const char* algorithm, const char* protocol) {
  return runOf(Collective::kAllReduce, 16, 2, algorithm, protocol);
}

TEST(ArmOf, NothingForcedIsTheDefault) {
  const auto arm = armOf(forced("", ""), rowOf(1024, 1, 1));
  ASSERT_TRUE(arm.ok());
  EXPECT_FALSE(arm.value());
}

TEST(ArmOf, OneAlgorithmAndOneProtocol) {
  const auto arm = armOf(forced("allreduce:ring", "allreduce:ll128"), rowOf(1024, 1, 1));
  ASSERT_TRUE(arm.ok()) << arm.message();
  EXPECT_EQ(arm.value(), (Arm{Algorithm::kRing, Protocol::kLl128, {}}));
}

TEST(ArmOf, AnAlgorithmOfOneProtocolNeedsNoProtocol) {
  EXPECT_EQ(armOf(forced("NVLS", ""), rowOf(1024, 1, 1)).value(), (Arm{Algorithm::kNvls, Protocol::kSimple, {}}));
}

TEST(ArmOf, PinnedChannelsBelongToTheArm) {
  NcclTestsRun run = forced("Ring", "Simple");
  run.forced.minChannels = run.forced.maxChannels = 8;
  EXPECT_EQ(armOf(run, rowOf(1024, 1, 1)).value()->channels, 8);
}

TEST(ArmOf, AMinimumOfChannelsAloneIsNothingAPolicyCanDo) {
  NcclTestsRun run = forced("Ring", "Simple");
  run.forced.minChannels = 32;
  EXPECT_THAT(armOf(run, rowOf(1024, 1, 1)).message(), HasSubstr("NCCL_MIN_NCHANNELS"));
}

TEST(ArmOf, AnOpenProtocolIsTakenFromTheLog) {
  NcclTestsRun run = forced("Ring", "");
  EXPECT_FALSE(armOf(run, rowOf(1 << 20, 1, 1)).ok());
  run.choices.push_back({Collective::kAllReduce, 1 << 20, false, Algorithm::kRing, Protocol::kLl, 4, {}, 1});
  EXPECT_EQ(armOf(run, rowOf(1 << 20, 1, 1)).value(), (Arm{Algorithm::kRing, Protocol::kLl, {}}));
  EXPECT_FALSE(armOf(run, rowOf(1 << 21, 1, 1)).ok()) << "another size";
}

TEST(ArmOf, WhatRanInsteadOfWhatWasForcedIsRefused) {
  NcclTestsRun run = forced("Tree", "Simple");
  run.choices.push_back({Collective::kAllReduce, 1 << 20, false, Algorithm::kRing, Protocol::kSimple, {}, {}, 1});
  EXPECT_THAT(armOf(run, rowOf(1 << 20, 1, 1)).message(), HasSubstr("NCCL ran ring/simple"));
}

TEST(ArmOf, WordsNcclDoesNotKnowAreErrors) { EXPECT_FALSE(armOf(forced("rings", "LL"), rowOf(1, 1, 1)).ok()); }

TEST(Describe, NamesAnArm) {
  EXPECT_EQ(describe(std::nullopt), "default");
  EXPECT_EQ(describe(std::optional(Arm{Algorithm::kNvlsTree, Protocol::kSimple, 4})), "nvlstree/simple x 4");
}

}  // namespace
}  // namespace polyrail::cli
