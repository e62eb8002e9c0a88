// SPDX-License-Identifier: Apache-2.0
// How long the registration cache looks for a region among 10^5, by what it takes among 10^3: O(log n) means little
// more. Interleaved rounds, the quickest of each, for one machine is never quiet.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "net/memory/mr_cache.h"
#include "test/unit/net-memory/counting_verbs.h"

using namespace polyrail::net;

namespace {

constexpr uintptr_t kStep = 1 << 20;
constexpr size_t kLookups = 2'000;
constexpr int kRounds = 101;

struct Filled {
  explicit Filled(size_t regions) : cache(verbs, nullptr, "fake0") {
    std::vector<size_t> order(regions);
    for (size_t i = 0; i < regions; i++) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) (void)cache.acquire({(i + 1) * kStep, kStep / 2}, {});
    for (size_t i = 0; i < kLookups; i++) asked.push_back((random() % regions + 1) * kStep + random() % (kStep / 4));
  }

  double nanoseconds() {
    const auto start = std::chrono::steady_clock::now();
    for (const uintptr_t at : asked) {
      const auto got = cache.acquire({at, 4096}, {});
      (void)cache.release(got.value());
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(asked.size());
  }

  std::mt19937_64 random{7};
  const Verbs verbs = countingVerbs();
  MrCache cache;
  std::vector<uintptr_t> asked;
};

// The quickest round: what neighbours on the machine add is never negative.
double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

int main() {
  Filled few(1'000), many(100'000);
  std::vector<double> fewTimes, manyTimes;
  for (int i = 0; i < kRounds; i++) {
    fewTimes.push_back(few.nanoseconds());
    manyTimes.push_back(many.nanoseconds());
  }
  const double ratio = least(manyTimes) / least(fewTimes);
  std::printf("BAR mr-cache-lookup %.2f <=3 %s %.0f ns among 10^3 regions, %.0f ns among 10^5\n", ratio,
              ratio <= 3 ? "holds" : "falls-short", least(fewTimes), least(manyTimes));
  return 0;
}
