// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "test/unit/tuner/arbitrary.h"
#include "tuner/compile.h"
#include "tuner/decide.h"

namespace polyrail {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

constexpr int kAllReduce = static_cast<int>(Collective::kAllReduce);
constexpr int kAllGather = static_cast<int>(Collective::kAllGather);
constexpr uint64_t kMiB = 1 << 20;

Rule ruleOf(uint64_t from, uint64_t to, Algorithm a, Protocol p, int channels, uint64_t chunk) {
  Rule r;
  r.from = from;
  r.to = to;
  r.choices.push_back({a, p, channels, chunk, std::nullopt});
  return r;
}

struct Fixture {
  Policy policy;
  Shape shape{16, 2, std::nullopt, 6};

  explicit Fixture(std::vector<Rule> rules, Collective collective = Collective::kAllReduce) {
    policy.tables.push_back({collective, {}, std::nullopt, std::move(rules)});
  }
  size_t ask(int collective, Algorithm a, Protocol p, uint64_t bytes, size_t ncclChunk) const {
    const Snapshot s = std::move(Snapshot::compile(policy, shape)).value();
    return decideChunk(s, collective, static_cast<int>(a), static_cast<int>(p), bytes, ncclChunk);
  }
  size_t ring(uint64_t slice, size_t ncclChunk = 2 * kMiB) const {
    return ask(kAllReduce, Algorithm::kRing, Protocol::kSimple, slice, ncclChunk);
  }
};

TEST(Chunk, IsKeyedByTheSliceOfOneChannel) {
  const Fixture f({ruleOf(8 * kMiB, 64 * kMiB, Algorithm::kRing, Protocol::kSimple, 8, 256 << 10)});
  EXPECT_EQ(f.ring(kMiB - 1), 2 * kMiB);
  EXPECT_EQ(f.ring(kMiB), 256u << 10);
  EXPECT_EQ(f.ring(8 * kMiB - 1), 256u << 10);
  EXPECT_EQ(f.ring(8 * kMiB), 2 * kMiB);
}

TEST(Chunk, OthersKeepNccls) {
  const Fixture f({ruleOf(0, kNoLimit, Algorithm::kRing, Protocol::kSimple, 8, 256 << 10)});
  EXPECT_EQ(f.ask(kAllReduce, Algorithm::kTree, Protocol::kSimple, kMiB, 512 << 10), 512u << 10);
  EXPECT_EQ(f.ask(kAllReduce, Algorithm::kRing, Protocol::kLl, kMiB, 32 << 10), 32u << 10);
  EXPECT_EQ(f.ask(kAllGather, Algorithm::kRing, Protocol::kSimple, kMiB, 77), 77u);
}

TEST(Chunk, StrangeNumbersKeepNccls) {
  const Fixture f({ruleOf(0, kNoLimit, Algorithm::kRing, Protocol::kSimple, 8, 256 << 10)});
  const Snapshot s = std::move(Snapshot::compile(f.policy, f.shape)).value();
  for (int odd : {-1, 7, 11, 1 << 30, INT32_MIN}) {
    EXPECT_EQ(decideChunk(s, odd, 1, 2, kMiB, 99), 99u);
    EXPECT_EQ(decideChunk(s, kAllReduce, odd, 2, kMiB, 99), 99u);
    EXPECT_EQ(decideChunk(s, kAllReduce, 1, odd == 7 ? 3 : odd, kMiB, 99), 99u);
  }
}

TEST(Chunk, TheEarlierRuleWinsWhereSlicesMeet) {
  const Fixture f({ruleOf(kMiB, 2 * kMiB, Algorithm::kRing, Protocol::kSimple, 1, 128 << 10),
                   ruleOf(2 * kMiB, 4 * kMiB, Algorithm::kRing, Protocol::kSimple, 2, 64 << 10)});
  EXPECT_EQ(f.ring(kMiB + 4096), 128u << 10);
}

TEST(Chunk, AHiddenRuleHasNoSay) {
  const Fixture f({ruleOf(0, kNoLimit, Algorithm::kTree, Protocol::kSimple, 8, 1 << 18),
                   ruleOf(0, kNoLimit, Algorithm::kRing, Protocol::kSimple, 8, 1 << 18)});
  EXPECT_EQ(f.ring(kMiB), 2 * kMiB);
}

TEST(Chunk, AllGatherSlicesAreOfTotalBytes) {
  Fixture f({ruleOf(kMiB, 2 * kMiB, Algorithm::kRing, Protocol::kSimple, 8, 128 << 10)}, Collective::kAllGather);
  f.policy.options.allGatherChannels = true;
  const uint64_t first = kMiB * 16 / 8;
  EXPECT_EQ(f.ask(kAllGather, Algorithm::kRing, Protocol::kSimple, first, kMiB), 128u << 10);
  EXPECT_EQ(f.ask(kAllGather, Algorithm::kRing, Protocol::kSimple, first - 1, kMiB), kMiB);
  f.policy.options.allGatherChannels = false;  // channels stay NCCL's, so slices are unknown
  EXPECT_EQ(f.ask(kAllGather, Algorithm::kRing, Protocol::kSimple, first, kMiB), kMiB);
}

// NVLS runs as CollNet between nodes.
TEST(Chunk, CollNetIsAskedWithTheWholeMessage) {
  for (Algorithm a : {Algorithm::kCollNetDirect, Algorithm::kCollNetChain, Algorithm::kNvls}) {
    Fixture f({ruleOf(kMiB, 2 * kMiB, a, Protocol::kSimple, 8, 32 << 10)});
    EXPECT_EQ(f.ask(kAllReduce, a, Protocol::kSimple, kMiB, 128 << 10), 32u << 10);
    EXPECT_EQ(f.ask(kAllReduce, a, Protocol::kSimple, kMiB / 8, 128 << 10), 128u << 10);
    f.shape.nodes = 1;
    const bool isSliced = a == Algorithm::kNvls;
    EXPECT_EQ(f.ask(kAllReduce, a, Protocol::kSimple, kMiB / 8, 128 << 10), isSliced ? 32u << 10 : 128u << 10);
  }
}

TEST(Chunk, OnlyTreeLl128AndPatMayGrow) {
  const auto asked = [](Algorithm a, Protocol p, Collective c) {
    const Fixture f({ruleOf(0, kNoLimit, a, p, 8, 1 << 20)}, c);
    return f.ask(static_cast<int>(c), a, p, kMiB, 32 << 10);
  };
  EXPECT_GT(asked(Algorithm::kTree, Protocol::kLl128, Collective::kAllReduce), 1000000u);
  EXPECT_EQ(asked(Algorithm::kPat, Protocol::kSimple, Collective::kReduceScatter), 1u << 20);
  EXPECT_EQ(asked(Algorithm::kNvls, Protocol::kSimple, Collective::kAllReduce), 32u << 10);
  EXPECT_EQ(asked(Algorithm::kNvlsTree, Protocol::kSimple, Collective::kAllReduce), 32u << 10);
  EXPECT_EQ(asked(Algorithm::kRing, Protocol::kSimple, Collective::kAllReduce), 32u << 10);
  EXPECT_EQ(asked(Algorithm::kCollNetChain, Protocol::kSimple, Collective::kAllReduce), 32u << 10);
}

TEST(Chunk, NeverBelowTheGrainAndAlwaysAMultiple) {
  for (Protocol p : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
    const uint64_t grain = static_cast<uint64_t>(nccl::kGrainBytes[static_cast<size_t>(p)]);
    for (uint64_t wanted : {uint64_t{0}, uint64_t{1}, grain - 1, grain, grain + 1, 7 * grain - 1}) {
      const Fixture f({ruleOf(0, kNoLimit, Algorithm::kRing, p, 8, wanted)});
      const size_t got = f.ask(kAllReduce, Algorithm::kRing, p, kMiB, kMiB);
      EXPECT_GE(got, grain);
      EXPECT_EQ(got % grain, 0u);
      EXPECT_LE(got, std::max(wanted, grain));
    }
  }
}

// Whatever the policy and NCCL's own chunk: it stays NCCL's or is a whole number of grains, and grows only where the
// buffer allows.
RC_GTEST_PROP(Chunk, StaysUsable, ()) {
  const Policy policy = *test::policy();
  const Shape shape = *test::shape();
  const Snapshot s = std::move(Snapshot::compile(policy, shape)).value();
  const int collective = *rc::gen::inRange(-1, 12), algorithm = *rc::gen::inRange(-1, 9);
  const int protocol = *rc::gen::inRange(0, 3);
  const size_t nccl = *rc::gen::inRange<size_t>(1, 1 << 21);
  const size_t got = decideChunk(s, collective, algorithm, protocol, *test::boundary(), nccl);
  if (got == nccl) return;
  const size_t grain = static_cast<size_t>(nccl::kGrainBytes[protocol]);
  RC_ASSERT(got >= grain);
  RC_ASSERT(got % grain == 0u);
  const bool mayGrow = algorithm == 6 || (algorithm == 0 && protocol == 1);
  RC_ASSERT(mayGrow || got < nccl);
}

}  // namespace
}  // namespace polyrail
