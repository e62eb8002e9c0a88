// SPDX-License-Identifier: Apache-2.0
// Times and default choices from a cost table: formula by hand, and the crossings of a table worked out for six
// Hopper GPUs on one NVSwitch (360 GB/s of ring).
#include "cli/model/predicted_time.h"

#include <gtest/gtest.h>

#include "test/unit/model/tables.h"

namespace polyrail::nccl {
namespace {

float timeOf(uint64_t bytes, Algorithm a, Protocol p, int pipeOps = 1, ModelShape shape = kSix) {
  return predictedTime(sixHoppers(), shape, {kAr, bytes, pipeOps}, a, p);
}

TEST(PredictedTime, IsLatencyPlusBytesOverBandwidth) {
  EXPECT_NEAR(timeOf(1 << 20, Algorithm::kRing, Protocol::kLl), 12.6 + 1048576 / 84600.0, 1e-3);
  EXPECT_EQ(timeOf(1 << 20, Algorithm::kNvlsTree, Protocol::kSimple), -1);
}

TEST(PredictedTime, TreesGetTheirResidualByOctave) {
  EXPECT_NEAR(timeOf(256 << 10, Algorithm::kTree, Protocol::kLl), 12.8 + 262144 / (43600 * 0.4), 1e-3);
  EXPECT_NEAR(timeOf((256 << 10) - 1, Algorithm::kTree, Protocol::kSimple), 48.4 + 262143 / (165600 * .5), 1e-3);
  EXPECT_NEAR(timeOf(63, Algorithm::kTree, Protocol::kSimple), 48.4 + 63 / 165600.0, 1e-4) << "below 64 B none";
  EXPECT_NEAR(timeOf(1ull << 29, Algorithm::kTree, Protocol::kSimple), 48.4 + (1ull << 29) / 165600.0, 1e-1)
      << "nor above 512 MiB";
  CostModel blackwell;
  put(blackwell, kAr, Algorithm::kNvlsTree, Protocol::kSimple, 10, 100);
  ModelShape shape{16, 2, 16};
  const ModelCall call{kAr, 256 << 10, 1};
  EXPECT_NEAR(predictedTime(blackwell, shape, call, Algorithm::kNvlsTree, Protocol::kSimple), 12.62, 1e-2);
  shape.blackwellX86 = true;
  EXPECT_NEAR(predictedTime(blackwell, shape, call, Algorithm::kNvlsTree, Protocol::kSimple), 15.24, 1e-2);
}

TEST(PredictedTime, GroupsPayRingsLatencyPerOperationAndOthersPerBatch) {
  const float bytes = 1024 / 84600.0f;
  EXPECT_NEAR(timeOf(1024, Algorithm::kRing, Protocol::kLl, 9), 9 * 12.6 + bytes, 1e-3);
  EXPECT_NEAR(timeOf(1024, Algorithm::kNvls, Protocol::kSimple, 9), 2 * 25, .01);
  ModelShape older = kSix;
  older.version = 22902;  // ten in a batch
  EXPECT_NEAR(timeOf(1024, Algorithm::kNvls, Protocol::kSimple, 9, older), 25, .01);
}

TEST(PredictedTime, RingsOverTheNetworkHaveAPlateau) {
  ModelShape two{16, 2, 8};
  const uint64_t edge = 64ull * 8 * 16;
  const float below = timeOf(edge - 1, Algorithm::kRing, Protocol::kSimple, 1, two);
  EXPECT_NEAR(timeOf(edge, Algorithm::kRing, Protocol::kSimple, 1, two) - below, 0.4 * 42.4, 1e-2);
  two.preAmpere = true;
  EXPECT_NEAR(timeOf(edge, Algorithm::kRing, Protocol::kSimple, 1, two) - below, 0.9 * 42.4, 1e-2);
}

TEST(PredictedTime, TheGpusNameTellsItsGeneration) {
  const auto taken = [](const char* gpu) {
    ModelShape shape;
    takeGpu(shape, gpu);
    return std::pair(shape.preAmpere, shape.blackwellX86);
  };
  EXPECT_EQ(taken("Tesla V100-SXM2-32GB"), std::pair(true, false));
  EXPECT_EQ(taken("NVIDIA B200"), std::pair(false, true));
  EXPECT_EQ(taken("NVIDIA GB200"), std::pair(false, false));
  EXPECT_EQ(taken("NVIDIA H100 80GB HBM3"), std::pair(false, false));
  EXPECT_EQ(taken(""), std::pair(false, false));
}

TEST(DefaultChoice, SixHoppersGoFromRingLlToNvlsAtTwoMebibytes) {
  for (int shift = 6; shift <= 33; shift++) {
    const auto choice = defaultChoice(sixHoppers(), kSix, {kAr, 1ull << shift, 1});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->algorithm, shift < 21 ? Algorithm::kRing : Algorithm::kNvls) << shift;
    EXPECT_EQ(choice->protocol, shift < 21 ? Protocol::kLl : Protocol::kSimple) << shift;
    EXPECT_FALSE(choice->closeCall && shift < 20) << shift;
  }
}

TEST(DefaultChoice, SaysWhenThePrintedDigitsCannotDecide) {
  CostModel t;
  put(t, kAr, Algorithm::kRing, Protocol::kLl, 10.0, 50);
  put(t, kAr, Algorithm::kRing, Protocol::kSimple, 10.1, 50);
  EXPECT_TRUE(defaultChoice(t, kSix, {kAr, 1024, 1})->closeCall);
  put(t, kAr, Algorithm::kRing, Protocol::kSimple, 10.2, 50);
  EXPECT_FALSE(defaultChoice(t, kSix, {kAr, 1024, 1})->closeCall);
  EXPECT_EQ(defaultChoice(CostModel{}, kSix, {kAr, 1024, 1}), std::nullopt);
}

}  // namespace
}  // namespace polyrail::nccl
