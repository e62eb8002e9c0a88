// SPDX-License-Identifier: Apache-2.0
// Chaos, short: `make soak` runs many more seeds. CHAOS_SEED=N runs one of those with a spared path.
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/unit/net-repair/chaos.h"

namespace polyrail::net {
namespace {

void expectClean(uint64_t seed, const ChaosResult& r, uint64_t messages) {
  const std::string again = "CHAOS_SEED=" + std::to_string(seed);
  EXPECT_EQ(r.error, "") << again;
  EXPECT_EQ(r.received, messages) << again;
  EXPECT_EQ(r.violations, 0u) << again;
  EXPECT_EQ(r.left, "") << again;
}

TEST(Chaos, EverythingArrivesOnceAndInTime) {
  const char* one = std::getenv("CHAOS_SEED");
  const uint64_t first = one ? std::strtoull(one, nullptr, 10) : 1;
  uint64_t fences = 0, revivals = 0;
  for (uint64_t seed = first; seed < first + (one ? 1 : 40); seed++) {
    const ChaosResult r = runChaos({.seed = seed, .messages = 300});
    expectClean(seed, r, 300);
    fences += r.fences;
    revivals += r.revivals;
  }
  if (one) return;
  EXPECT_GT(fences, 40u) << "not enough went wrong for the test to mean anything";
  EXPECT_GT(revivals, 20u);
}

TEST(Chaos, WithNoSparedPathEverythingArrivesOrBothEndsKnow) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    const ChaosResult r = runChaos({.seed = seed, .messages = 300, .spare = false});
    EXPECT_TRUE(r.ended) << "seed " << seed << ": " << r.error;
    EXPECT_EQ(r.wrong, "") << "seed " << seed;
    EXPECT_EQ(r.violations, 0u) << "seed " << seed;
    EXPECT_EQ(r.left, "") << "seed " << seed;
  }
}

// The test can fail: without the fence at the receiver, late packets are seen to do harm.
TEST(Chaos, WithoutFencingHarmIsFound) {
  uint64_t harmed = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const ChaosResult r = runChaos({.seed = seed, .messages = 300, .unfenced = true});
    harmed += r.violations > 0 || r.error.find("other bytes") != std::string::npos;
  }
  EXPECT_GT(harmed, 0u);
}

}  // namespace
}  // namespace polyrail::net
