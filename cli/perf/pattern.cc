// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/pattern.h"

#include <algorithm>
#include <cstring>

namespace polyrail::cli {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

// The mixing step of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), cut
// short: neighbours must differ, not be random.
uint64_t wordOf(uint64_t pattern, size_t index) {
  uint64_t x = (pattern + 1) * 0x9e3779b97f4a7c15 + index;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 27;
}

}  // namespace

void fillPattern(void* data, size_t size, uint64_t pattern) {
  char* out = static_cast<char*>(data);
  for (size_t at = 0; at < size; at += kWord) {
    const uint64_t word = wordOf(pattern, at / kWord);
    std::memcpy(out + at, &word, std::min(kWord, size - at));
  }
}

size_t firstWrongByte(const void* data, size_t size, uint64_t pattern, size_t from) {
  const char* in = static_cast<const char*>(data);
  for (size_t at = from / kWord * kWord; at < size; at += kWord) {
    const uint64_t word = wordOf(pattern, at / kWord);
    if (size - at >= kWord && at >= from && std::memcmp(in + at, &word, kWord) == 0) continue;
    const char* expected = reinterpret_cast<const char*>(&word);
    for (size_t i = std::max(at, from); i < std::min(size, at + kWord); i++)
      if (in[i] != expected[i - at]) return i;
  }
  return size;
}

void stamp(void* data, uint64_t number) { std::memcpy(data, &number, kStampBytes); }

bool isStamped(const void* data, uint64_t number) { return std::memcmp(data, &number, kStampBytes) == 0; }

}  // namespace polyrail::cli
