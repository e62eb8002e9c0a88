// SPDX-License-Identifier: Apache-2.0
// The cache against one that looks at every region: 10^6 random operations with nested, overlapping and equal ranges
// of several kinds, and registrations that fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "net/memory/mr_cache.h"
#include "test/unit/net-memory/counting_verbs.h"

namespace polyrail::net {
namespace {

constexpr uintptr_t kPage = 4096;

class Oracle {
 public:
  struct Region {
    const Registration* actual;
    MemoryType type;
    uintptr_t first, end;
    int references;
    bool findable;
  };

  Region* covering(MemoryType type, uintptr_t first, uintptr_t end) {
    for (Region& r : regions)
      if (r.findable && r.type == type && r.first <= first && end <= r.end) return &r;
    return nullptr;
  }
  Region* of(const Registration* actual) {
    for (Region& r : regions)
      if (r.actual == actual) return &r;
    return nullptr;
  }
  void add(const Registration* actual, MemoryType type, uintptr_t first, uintptr_t end) {
    for (Region& r : regions)
      if (r.type == type && first <= r.first && r.end <= end) r.findable = false;
    regions.push_back({actual, type, first, end, 1, true});
  }
  void drop(const Registration* actual) {
    const auto it = std::find_if(regions.begin(), regions.end(), [&](const Region& r) { return r.actual == actual; });
    if (--it->references == 0) regions.erase(it);
  }

  std::vector<Region> regions;
};

class Walk {
 public:
  explicit Walk(uint64_t seed) : random_(seed), verbs_(countingVerbs()), cache_(verbs_, nullptr, "fake0") {}

  void step() {
    if (held_.size() > 150 || (!held_.empty() && pick(2) == 0)) return give();
    take();
  }
  void finish() {
    while (!held_.empty()) give();
    EXPECT_EQ(oracle_.regions.size(), 0u);
    EXPECT_EQ(cache_.statistics().regions, 0u);
    EXPECT_EQ(counts.live(), 0);
  }

 private:
  uint64_t pick(uint64_t n) { return random_() % n; }

  void take() {
    MemoryRange range;
    range.address = (1000 + pick(64)) * kPage + pick(kPage);
    range.bytes = 1 + pick(pick(4) == 0 ? 32 * kPage : 3 * kPage);
    range.type = pick(3) == 0 ? MemoryType::kDevice : MemoryType::kHost;
    const uintptr_t first = range.address / kPage * kPage;
    const uintptr_t end = (range.address + range.bytes + kPage - 1) / kPage * kPage;
    const bool hit = oracle_.covering(range.type, first, end) != nullptr;
    counts.failWith = pick(100) == 0 ? ENOMEM : 0;
    const bool works = hit || !counts.failWith;
    const int64_t before = counts.registered;
    const Result<const Registration*> got = cache_.acquire(range, {});
    ASSERT_EQ(got.ok(), works);
    ASSERT_EQ(counts.registered - before, works && !hit ? 1 : 0) << "hit " << hit;
    if (!works) return;
    held_.push_back(got.value());
    if (!hit) return oracle_.add(got.value(), range.type, first, end);
    Oracle::Region* region = oracle_.of(got.value());
    ASSERT_TRUE(region && region->findable && region->type == range.type && region->first <= first &&
                end <= region->end);
    region->references++;
  }

  void give() {
    const size_t i = pick(held_.size());
    const Registration* gone = held_[i];
    held_[i] = held_.back();
    held_.pop_back();
    oracle_.drop(gone);
    ASSERT_TRUE(cache_.release(gone).ok());
    ASSERT_EQ(counts.live(), static_cast<int64_t>(oracle_.regions.size()));
  }

  std::mt19937_64 random_;
  const Verbs verbs_;
  MrCache cache_;
  Oracle oracle_;
  std::vector<const Registration*> held_;
};

TEST(MrCacheOracle, MillionOperations) {
  counts.reset();
  Walk walk(4);
  for (int i = 0; i < 1'000'000 && !HasFatalFailure(); i++) walk.step();
  walk.finish();
}

}  // namespace
}  // namespace polyrail::net
