// SPDX-License-Identifier: Apache-2.0
#include "tuner/decide.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>

#include "test/unit/tuner/arbitrary.h"
#include "test/unit/tuner/oracle.h"

namespace polyrail {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

constexpr int kTree = static_cast<int>(Algorithm::kTree), kRing = static_cast<int>(Algorithm::kRing);
constexpr int kNvls = static_cast<int>(Algorithm::kNvls);
constexpr int kLl = 0, kLl128 = 1, kSimple = 2;
constexpr int kAllReduce = static_cast<int>(Collective::kAllReduce);
constexpr int kAllGather = static_cast<int>(Collective::kAllGather);

Choice choiceOf(Algorithm a, Protocol p, std::optional<int> channels = {}, std::optional<TimeModel> time = {}) {
  return {a, p, channels, std::nullopt, time};
}

// One rule for every size of a collective.
Policy always(std::vector<Choice> choices, Collective collective = Collective::kAllReduce) {
  Rule rule;
  rule.choices = std::move(choices);
  Policy p;
  p.tables.push_back({collective, {}, std::nullopt, {rule}});
  return p;
}

Snapshot compiled(const Policy& policy, int abi = 6, uint64_t ranks = 16, uint64_t nodes = 2) {
  return std::move(Snapshot::compile(policy, {ranks, nodes, std::nullopt, abi})).value();
}

// NCCL's table for a test: every entry 10 + its position microseconds.
struct Costs {
  int algorithms = 7, protocols = 3;
  std::vector<float> cells;
  int channels = 0;

  explicit Costs(int a = 7, int p = 3) : algorithms(a), protocols(p), cells(static_cast<size_t>(a * p)) {
    for (size_t i = 0; i < cells.size(); i++) cells[i] = 10.0f + static_cast<float>(i);
  }
  float& at(int a, int p) { return cells[static_cast<size_t>(a * protocols + p)]; }
  CostTable table() { return {cells.data(), algorithms, protocols}; }
  bool sameBits(const Costs& other) const {
    return channels == other.channels && cells.size() == other.cells.size() &&
           std::memcmp(cells.data(), other.cells.data(), cells.size() * sizeof(float)) == 0;
  }
};

// NCCL 2.22 to 2.30: first strict minimum in order of index. Returns the index, or -1.
int pickForward(const Costs& c) {
  int best = -1;
  float least = FLT_MAX;
  for (size_t i = 0; i < c.cells.size(); i++)
    if (c.cells[i] >= 0 && c.cells[i] < least) least = c.cells[i], best = static_cast<int>(i);
  return best;
}

// NCCL 2.31: the combinations it allowed before the tuner, last first, no test of the sign.
int pickBackward(const Costs& before, const Costs& c) {
  int best = -1;
  float least = FLT_MAX;
  for (size_t i = c.cells.size(); i-- > 0;)
    if (before.cells[i] >= 0 && c.cells[i] < least) least = c.cells[i], best = static_cast<int>(i);
  return best;
}

Outcome run(const Snapshot& s, Costs& c, uint64_t bytes = 1 << 20, int collective = kAllReduce) {
  return decide(s, {collective, bytes}, c.table(), &c.channels).outcome;
}

TEST(Decide, WritesThePredictedTimeAndLiftsWhatIsNotAbove) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kNvls, Protocol::kSimple, {}, TimeModel{15, 2})}));
  Costs c;
  EXPECT_EQ(run(s, c, 1 << 21), Outcome::kDecided);
  EXPECT_FLOAT_EQ(c.at(kNvls, kSimple), 19);
  EXPECT_FLOAT_EQ(c.at(kTree, kLl), 19 * 1.001f);  // was 10
  EXPECT_EQ(c.at(6, kSimple), 30);                 // was above
  EXPECT_EQ(pickForward(c), kNvls * 3 + kSimple);
}

TEST(Decide, WithoutAPredictionNcclsOwnTimeStays) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kNvls, Protocol::kSimple)}));
  Costs c;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
  EXPECT_EQ(c.at(kNvls, kSimple), 24);
  EXPECT_EQ(pickForward(c), kNvls * 3 + kSimple);
}

TEST(Decide, AZeroEntryBecomesPositive) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple)}));
  Costs c;
  for (float& cell : c.cells) cell = 0;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
  EXPECT_GT(c.at(kRing, kSimple), 0);
  EXPECT_EQ(pickForward(c), kRing * 3 + kSimple);
}

TEST(Decide, FallsToTheNextChoiceThatNcclAllows) {
  const Snapshot s = compiled(
      always({choiceOf(Algorithm::kNvls, Protocol::kSimple, 4), choiceOf(Algorithm::kTree, Protocol::kLl128, 5),
              choiceOf(Algorithm::kRing, Protocol::kLl, 6)}));
  Costs c;
  c.at(kNvls, kSimple) = -1;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
  EXPECT_EQ(pickForward(c), kTree * 3 + kLl128);
  EXPECT_EQ(c.channels, 5);
  EXPECT_EQ(c.at(kNvls, kSimple), -1);
  c.at(kTree, kLl128) = NAN;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
  EXPECT_EQ(pickForward(c), kRing * 3 + kLl);
  EXPECT_EQ(c.channels, 6);
}

TEST(Decide, LeavesEverythingWhenNcclAllowsNoChoice) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kNvls, Protocol::kSimple, 4)}));
  for (float refused : {-1.0f, -0.5f, NAN, INFINITY, FLT_MAX}) {
    Costs c;
    c.at(kNvls, kSimple) = refused;
    const Costs before = c;
    EXPECT_EQ(run(s, c), Outcome::kNotAllowed) << refused;
    EXPECT_TRUE(c.sameBits(before)) << refused;
  }
}

TEST(Decide, NeverTouchesWhatIsNotAllowed) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kNvls, Protocol::kSimple, {}, TimeModel{1e9, 0})}));
  Costs c;
  c.at(0, 0) = -1, c.at(0, 1) = -2, c.at(0, 2) = NAN, c.at(2, 0) = INFINITY, c.at(3, 0) = -0.0f;
  const Costs before = c;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
  for (int p : {0, 1, 2}) EXPECT_EQ(std::memcmp(&c.at(0, p), &before.cells[static_cast<size_t>(p)], 4), 0);
  EXPECT_EQ(c.at(2, 0), INFINITY);
  EXPECT_GT(c.at(3, 0), 0);  // -0 counts as 0, which NCCL would take
}

TEST(Decide, SixAlgorithmsOrFewProtocolsAreHonoured) {
  const Snapshot pat = compiled(always({choiceOf(Algorithm::kPat, Protocol::kSimple)}, Collective::kAllGather));
  Costs six(6, 3);
  const Costs before = six;
  EXPECT_EQ(run(pat, six, 1 << 20, kAllGather), Outcome::kNotAllowed);
  EXPECT_TRUE(six.sameBits(before));

  const Snapshot simple = compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple)}));
  Costs two(7, 2);
  EXPECT_EQ(run(simple, two), Outcome::kNotAllowed);
  Costs four(8, 4);  // a future NCCL: other stride, more of both
  EXPECT_EQ(run(simple, four), Outcome::kDecided);
  EXPECT_EQ(pickForward(four), kRing * 4 + kSimple);
}

TEST(Decide, OddTablesAreLeftAlone) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple, 8)}));
  float cell = 5;
  for (const CostTable& odd :
       {CostTable{nullptr, 7, 3}, CostTable{&cell, 0, 3}, CostTable{&cell, 7, 0}, CostTable{&cell, -1, 3},
        CostTable{&cell, 7, -3}, CostTable{&cell, INT32_MAX, 3}, CostTable{&cell, INT32_MIN, INT32_MIN}}) {
    int channels = 0;
    EXPECT_EQ(decide(s, {kAllReduce, 1024}, odd, &channels).outcome, Outcome::kNoRule);
    EXPECT_EQ(channels, 0);
    EXPECT_EQ(cell, 5);
  }
}

TEST(Decide, NullChannelsAreTolerated) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple, 8)}));
  Costs c;
  EXPECT_EQ(decide(s, {kAllReduce, 1024}, c.table(), nullptr).outcome, Outcome::kDecided);
}

TEST(Decide, KeepsOffRingWhereNcclGuardsFp8) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple, 8)}));
  Costs c;
  for (int p = 0; p < 3; p++) c.at(kRing, p) *= 1024;
  const Costs before = c;
  EXPECT_EQ(run(s, c), Outcome::kGuarded);
  EXPECT_TRUE(c.sameBits(before));
  c.at(kRing, kSimple) = 500 * 10;  // the least is 10: just within the family
  EXPECT_EQ(run(s, c), Outcome::kDecided);
}

TEST(Decide, TheGuardIsForRingOnly) {
  const Snapshot s = compiled(always({choiceOf(Algorithm::kTree, Protocol::kSimple)}));
  Costs c;
  c.at(kTree, kSimple) *= 1024;
  EXPECT_EQ(run(s, c), Outcome::kDecided);
}

TEST(Channels, NeverForCollNet) {
  for (Algorithm a : {Algorithm::kCollNetDirect, Algorithm::kCollNetChain}) {
    const Snapshot s = compiled(always({choiceOf(a, Protocol::kSimple, 8)}));
    Costs c;
    EXPECT_EQ(run(s, c), Outcome::kDecided);
    EXPECT_EQ(c.channels, 0);
  }
}

// Between nodes NCCL runs NVLS as CollNet; within one it has a pool of its own, which clamps.
TEST(Channels, ForNvlsWithinOneNodeOnly) {
  const Policy policy = always({choiceOf(Algorithm::kNvls, Protocol::kSimple, 8)});
  for (const uint64_t nodes : {1, 2}) {
    Costs c;
    EXPECT_EQ(run(compiled(policy, 6, 16, nodes), c), Outcome::kDecided);
    EXPECT_EQ(c.channels, nodes == 1 ? 8 : 0);
  }
}

TEST(Channels, AllGathersNeedConsentFromAbi5On) {
  Policy policy = always({choiceOf(Algorithm::kRing, Protocol::kSimple, 8)}, Collective::kAllGather);
  for (int abi = 3; abi <= 6; abi++) {
    for (bool consent : {false, true}) {
      policy.options.allGatherChannels = consent;
      Costs c;
      EXPECT_EQ(run(compiled(policy, abi), c, 1 << 20, kAllGather), Outcome::kDecided);
      EXPECT_EQ(c.channels, abi < 5 || consent ? 8 : 0) << abi;
    }
  }
}

TEST(Channels, NeverAboveTheRecordedPoolNorOutside1To64) {
  const std::pair<std::optional<int>, int> cases[] = {{4, 4}, {16, 8}, {64, 8}, {1000, 8}, {0, 0}, {-3, 0}, {{}, 0}};
  for (const auto& [wanted, expected] : cases) {
    Policy policy = always({choiceOf(Algorithm::kRing, Protocol::kSimple, wanted)});
    policy.tables[0].maxChannels = 8;
    Costs c;
    run(compiled(policy), c);
    EXPECT_EQ(c.channels, expected);
  }
  Costs c;
  run(compiled(always({choiceOf(Algorithm::kRing, Protocol::kSimple, 1000)})), c);
  EXPECT_EQ(c.channels, 64);
}

TEST(Unchecked, OnlyRingAndAllReducesTreeWithLlOrSimple) {
  int algorithm = -1, protocol = -1, channels = 0;
  const Snapshot s = compiled(
      always({choiceOf(Algorithm::kNvls, Protocol::kSimple, 3), choiceOf(Algorithm::kRing, Protocol::kLl128, 4),
              choiceOf(Algorithm::kTree, Protocol::kLl, 5)}),
      2);
  EXPECT_EQ(decideUnchecked(s, {kAllReduce, 64}, &algorithm, &protocol, &channels).outcome, Outcome::kDecided);
  EXPECT_EQ(algorithm, kTree);
  EXPECT_EQ(protocol, kLl);
  EXPECT_EQ(channels, 5);
}

TEST(Unchecked, AbstainsWhenNoChoiceIsSafe) {
  int algorithm = -1, protocol = -1, channels = 0;
  const Snapshot s = compiled(always({choiceOf(Algorithm::kTree, Protocol::kLl, 5)}, Collective::kAllGather), 2);
  EXPECT_EQ(decideUnchecked(s, {kAllGather, 64}, &algorithm, &protocol, &channels).outcome, Outcome::kNotAllowed);
  EXPECT_EQ(algorithm, -1);
  EXPECT_EQ(protocol, -1);
  EXPECT_EQ(channels, 0);
  EXPECT_EQ(decideUnchecked(s, {kAllGather, 64}, nullptr, &protocol, nullptr).outcome, Outcome::kNoRule);
}

// A cell of a table as NCCL, or something stranger, might fill it.
rc::Gen<float> cell() {
  return rc::gen::oneOf(
      rc::gen::just(-1.0f), rc::gen::just(12.5f), rc::gen::element(0.0f, 1e-30f, 1e-3f, 3e38f),
      rc::gen::map(rc::gen::inRange(0, 100000), [](int n) { return static_cast<float>(n) * 0.37f; }),
      rc::gen::element(NAN, INFINITY, FLT_MAX, -5.0f, -0.0f));
}

RC_GTEST_PROP(Decide, ChoosesOneStrictMinimumOrTouchesNothing, ()) {
  const Policy policy = *test::policy();
  const Shape shape = *test::shape();
  const Snapshot snapshot = std::move(Snapshot::compile(policy, shape)).value();
  Costs c(*rc::gen::element(6, 7, 8), *rc::gen::element(2, 3, 4));
  for (float& each : c.cells) each = *cell();
  const Costs before = c;
  const Request request = *test::request(policy, shape);
  const Decision d = decide(snapshot, request, c.table(), &c.channels);
  if (d.outcome != Outcome::kDecided) {
    RC_ASSERT(c.sameBits(before));
    return;
  }
  const int chosen = d.choice->algorithm * c.protocols + d.choice->protocol;
  RC_ASSERT(pickForward(c) == chosen);
  RC_ASSERT(pickBackward(before, c) == chosen);
  const float t = c.cells[static_cast<size_t>(chosen)];
  RC_ASSERT(t > 0);
  for (size_t i = 0; i < c.cells.size(); i++) {
    if (!(before.cells[i] >= 0)) {
      RC_ASSERT(std::memcmp(&before.cells[i], &c.cells[i], sizeof(float)) == 0);
    } else if (static_cast<int>(i) != chosen) {
      RC_ASSERT(c.cells[i] > t);
      RC_ASSERT(before.cells[i] <= t || c.cells[i] == before.cells[i]);
    }
  }
  RC_ASSERT(c.channels >= 0 && c.channels <= nccl::kMaxChannels);
}

RC_GTEST_PROP(Decide, NoMatchLeavesEveryBit, ()) {
  const Policy policy = *test::policy();
  const Shape shape = *test::shape();
  const Snapshot snapshot = std::move(Snapshot::compile(policy, shape)).value();
  Costs c;
  for (float& each : c.cells) each = *cell();
  c.channels = *rc::gen::arbitrary<int>();
  const Costs before = c;
  Request request = *test::request(policy, shape);
  request.collective = *rc::gen::oneOf(rc::gen::inRange(-3, 20), rc::gen::arbitrary<int>());
  if (test::firstMatch(policy, shape, request)) return;
  if (request.bytes == UINT64_MAX) return;
  RC_ASSERT(decide(snapshot, request, c.table(), &c.channels).outcome == Outcome::kNoRule);
  RC_ASSERT(c.sameBits(before));
}

}  // namespace
}  // namespace polyrail
