// SPDX-License-Identifier: Apache-2.0
// Chaos with new seeds for a set time: `soak-chaos SECONDS`. Half of the runs spare a path, and everything must
// arrive; the others spare none, and everything must arrive or both ends must know. Half of each are of unfused NICs.
// Prints each seed that failed and how to run it again: `soak-chaos seed N [none-spared] [unfused]`. Status 1 when
// one failed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "test/unit/net-repair/chaos.h"

namespace {

using polyrail::net::ChaosResult;
constexpr uint64_t kMessages = 500;

// Whether it was as it must be.
bool run(uint64_t seed, bool spare, bool unfused) {
  const ChaosResult r =
      polyrail::net::runChaos({.seed = seed, .messages = kMessages, .spare = spare, .unfused = unfused});
  const bool whole = r.received == kMessages && r.error.empty();
  const bool good = (spare ? whole : r.ended && r.wrong.empty()) && r.violations == 0 && r.left.empty();
  if (good) return true;
  std::printf("FAILED soak-chaos seed %llu%s%s: %llu of %llu messages, %zu stray writes, left: %s; %s\n",
              static_cast<unsigned long long>(seed), spare ? "" : " none-spared", unfused ? " unfused" : "",
              static_cast<unsigned long long>(r.received), static_cast<unsigned long long>(kMessages), r.violations,
              r.left.empty() ? "nothing" : r.left.c_str(), r.error.c_str());
  std::fflush(stdout);
  return false;
}

bool says(int count, char** words, const char* word) {
  for (int i = 3; i < count; i++)
    if (std::strcmp(words[i], word) == 0) return true;
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count >= 3 && std::strcmp(words[1], "seed") == 0)
    return run(std::strtoull(words[2], nullptr, 10), !says(count, words, "none-spared"),
               says(count, words, "unfused"))
               ? 0
               : 1;
  const long seconds = count == 2 ? std::strtol(words[1], nullptr, 10) : 0;
  if (seconds <= 0) return std::fprintf(stderr, "usage: soak-chaos SECONDS | seed N [none-spared] [unfused]\n"), 2;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint64_t seed = std::random_device()() * 1'000'000ull, runs = 0, failed = 0;
  for (; std::chrono::steady_clock::now() < end; runs++) failed += !run(seed++, runs % 2 == 0, runs % 4 >= 2);
  std::printf("%llu runs of chaos, %llu failed\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(failed));
  return failed ? 1 : 0;
}
