// SPDX-License-Identifier: Apache-2.0
#include "tuner/size_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "test/unit/tuner/arbitrary.h"

namespace polyrail {
namespace {

using Index = SizeIndex<uint32_t>;

std::vector<Index::Step> stepsAt(std::set<uint64_t> starts) {
  starts.insert(0);
  starts.erase(UINT64_MAX);
  std::vector<Index::Step> steps;
  for (uint64_t start : starts) steps.push_back({start, static_cast<uint32_t>(steps.size() * 7 + 1)});
  return steps;
}

uint32_t naive(const std::vector<Index::Step>& steps, uint64_t size) {
  uint32_t value = UINT32_MAX;
  for (const Index::Step& s : steps)
    if (s.start <= size) value = s.value;
  return value;
}

void expectEqualAround(const std::vector<Index::Step>& steps) {
  const Index index(steps);
  for (const Index::Step& s : steps)
    for (uint64_t size : {s.start - 1, s.start, s.start + 1}) {
      if (size == UINT64_MAX) continue;
      ASSERT_EQ(*index.find(size), naive(steps, size)) << size << " with " << steps.size() << " steps";
    }
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t power = uint64_t{1} << bit;
    for (uint64_t size : {power - 1, power, power + power / 3})
      ASSERT_EQ(*index.find(size), naive(steps, size)) << size;
  }
}

TEST(SizeIndex, EmptyKnowsNothing) {
  const Index index;
  for (uint64_t size : {uint64_t{0}, uint64_t{1} << 40, UINT64_MAX}) EXPECT_EQ(index.find(size), nullptr);
}

TEST(SizeIndex, OneStepIsEverywhere) {
  const Index index({{0, 42}});
  for (uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 63, UINT64_MAX}) EXPECT_EQ(*index.find(size), 42u);
}

TEST(SizeIndex, LastSizeIsTreatedAsTheOneBefore) {
  const Index index({{0, 1}, {UINT64_MAX - 1, 2}});
  EXPECT_EQ(*index.find(UINT64_MAX - 2), 1u);
  EXPECT_EQ(*index.find(UINT64_MAX), 2u);
}

RC_GTEST_PROP(SizeIndex, EqualsNaiveScan, ()) {
  const auto starts = *rc::gen::container<std::set<uint64_t>>(test::boundary());
  const auto steps = stepsAt(starts);
  const Index index(steps);
  for (uint64_t start : starts)
    for (uint64_t size : {start - 1, start, start + 1})
      if (size != UINT64_MAX) RC_ASSERT(*index.find(size) == naive(steps, size));
  const uint64_t any = *rc::gen::arbitrary<uint64_t>();
  if (any != UINT64_MAX) RC_ASSERT(*index.find(any) == naive(steps, any));
}

// Crowds that a plain radix would search for long.
TEST(SizeIndex, CrowdedBoundaries) {
  std::set<uint64_t> byte, cluster, geometric, octave, top;
  for (uint64_t i = 0; i < 1500; i++) {
    byte.insert((uint64_t{1} << 30) + i);
    cluster.insert((uint64_t{1} << 40) + (i % 3) * (uint64_t{1} << 38) + i / 3);
    octave.insert((uint64_t{1} << 25) + i * 21001);
    top.insert(UINT64_MAX - 1 - i * i);
  }
  for (int e = 0; e < 60; e++)
    for (uint64_t i = 0; i < 25; i++) geometric.insert((uint64_t{1} << 60) + (uint64_t{1} << e) + i * (e + 1));
  for (const auto& starts : {byte, cluster, geometric, octave, top}) expectEqualAround(stepsAt(starts));
}

TEST(SizeIndex, MemoryStaysProportional) {
  std::set<uint64_t> geometric;
  for (int e = 0; e < 60; e++)
    for (uint64_t i = 0; i < 200; i++) geometric.insert((uint64_t{1} << 60) + (uint64_t{1} << e) + i);
  const auto steps = stepsAt(geometric);
  EXPECT_LT(Index(steps).bytes(), 100 * steps.size());
}

}  // namespace
}  // namespace polyrail
