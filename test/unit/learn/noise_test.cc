// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/noise.h"

#include <gtest/gtest.h>

#include "cli/learn/critical.h"
#include "cli/learn/statistics.h"
#include "test/synthetic/truth.h"
#include "test/unit/learn/build_runs.h"

namespace polyrail::cli {
namespace {

// |in-place / out-of-place - 1| as the synthetic noise makes it.
std::vector<double> placementRatios(uint64_t bytes) {
  std::vector<double> all;
  for (uint64_t seed = 0; seed < 200; seed++) {
    synthetic::NoisyRun run(seed);
    for (int i = 0; i < 100; i++) all.push_back(std::abs(run.factor(bytes) / run.factor(bytes) - 1));
  }
  return all;
}

// The measured percentiles that test/synthetic/noise.h is calibrated on.
TEST(SyntheticNoise, HasThePercentilesOfPublicMeasurements) {
  struct Anchor {
    uint64_t bytes;
    double median, p90, p99;
  };
  for (const Anchor& a : {Anchor{16 << 10, 0.0118, 0.183, 2.85}, Anchor{1 << 20, 0.0185, 0.379, 2.87},
                          Anchor{16 << 20, 0.0136, 0.074, 0.234}, Anchor{256 << 20, 0.0032, 0.0227, 0.185}}) {
    std::vector<double> ratios = placementRatios(a.bytes);
    EXPECT_NEAR(quantile(ratios, 0.5) / a.median, 1, 0.35) << a.bytes;
    EXPECT_NEAR(quantile(ratios, 0.9) / a.p90, 1, 0.35) << a.bytes;
    EXPECT_NEAR(quantile(ratios, 0.99) / a.p99, 1, 0.35) << a.bytes;
  }
}

Sweep equalSweep(size_t repeats, uint64_t seed = 1) {
  const auto truth = synthetic::equalArms(synthetic::doublings(1 << 10, 256 << 20), synthetic::usualArms({}));
  return sweepsOf(synthetic::measureAll(truth, repeats, seed)).sweeps[0];
}

TEST(Noise, LearnsHowMuchRunsVary) {
  const Sweep sweep = equalSweep(20);
  const Noise noise(sweep);
  EXPECT_EQ(noise.observed(), 7u * 20u);
  EXPECT_NEAR(noise.spread(2), 0.035, 0.015) << "3 % by run, 1.2 % by cell, some outliers";
  EXPECT_NEAR(noise.spread(sweep.sizes.size() - 1), 0.0045, 0.003);
}

TEST(Noise, WithoutRepeatsItIsWhatIsExpected) {
  const Sweep sweep = equalSweep(1);
  const Noise noise(sweep);
  EXPECT_EQ(noise.observed(), 0u);
  EXPECT_NEAR(noise.spread(2), 0.06, 0.02);
  EXPECT_NEAR(noise.spread(sweep.sizes.size() - 1), 0.02, 0.01);
}

TEST(Noise, MediansVaryLessThanSingles) {
  const Sweep sweep = equalSweep(5);
  Noise noise(sweep);
  const auto spread = [&](size_t runs) {
    std::vector<double> all;
    for (float value : noise.medians(runs)) all.push_back(std::abs(static_cast<double>(value)));
    EXPECT_EQ(all.size(), kBankSize * kPlacements * sweep.sizes.size());
    return quantile(all, 0.9);
  };
  const double one = spread(1), five = spread(5), nine = spread(9);
  EXPECT_LT(five, 0.7 * one);
  EXPECT_LT(nine, five);
}

TEST(CriticalGains, IsExceededAsOftenAsAskedFor) {
  const Sweep sweep = equalSweep(5);
  const size_t sizes = sweep.sizes.size();
  CriticalQuestion q;
  q.defaultRuns.assign(sizes, 5);
  q.armRuns.assign(6, std::vector<size_t>(sizes, 5));
  q.chance = 0.1;
  Noise noise(sweep);
  const Critical loose = criticalGains(noise, q);
  q.chance = 0.01;
  const Critical strict = criticalGains(noise, q);
  for (size_t s = 0; s < sizes; s++) {
    EXPECT_GE(strict.alone[s], loose.alone[s]);
    EXPECT_GT(loose.alone[s], 0);
    EXPECT_LE(loose.together[s], 1.2 * loose.alone[s]);
  }
  EXPECT_GT(loose.alone[2], loose.alone[sizes - 1]) << "small messages are noisier";
}

TEST(CriticalGains, NothingComparedNothingNeeded) {
  const Sweep sweep = equalSweep(2);
  Noise noise(sweep);
  CriticalQuestion q;
  q.defaultRuns.assign(sweep.sizes.size(), 2);
  EXPECT_EQ(criticalGains(noise, q).alone, std::vector<double>(sweep.sizes.size()));
  q.armRuns.assign(1, std::vector<size_t>(sweep.sizes.size(), 0));
  q.armRuns[0][3] = 2;
  const Critical one = criticalGains(noise, q);
  EXPECT_GT(one.alone[3], 0);
  EXPECT_EQ(one.alone[4], 0);
}

}  // namespace
}  // namespace polyrail::cli
