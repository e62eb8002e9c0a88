// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/payload.h"

#include <algorithm>
#include <cstring>

namespace polyrail::contract {
namespace {

constexpr size_t kWord = sizeof(uint64_t);
constexpr size_t kDataBytes = kLineBytes - kWord;

uint64_t wordAt(uint64_t message, size_t index) {
  uint64_t x = message * 0x9e3779b97f4a7c15 + index;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 27;
}

uint64_t flagOf(uint64_t message) { return message | 1ull << 63; }

}  // namespace

void fillPayload(void* data, size_t size, uint64_t message) {
  char* out = static_cast<char*>(data);
  for (size_t at = 0; at < size; at += kWord) {
    const uint64_t word = wordAt(message, at / kWord);
    std::memcpy(out + at, &word, std::min(kWord, size - at));
  }
}

size_t firstWrongByte(const void* data, size_t size, uint64_t message) {
  const char* in = static_cast<const char*>(data);
  for (size_t at = 0; at < size; at += kWord) {
    const uint64_t word = wordAt(message, at / kWord);
    const size_t n = std::min(kWord, size - at);
    if (std::memcmp(in + at, &word, n) == 0) continue;
    size_t i = 0;
    while (std::memcmp(in + at + i, reinterpret_cast<const char*>(&word) + i, 1) == 0) i++;
    return at + i;
  }
  return size;
}

void fillLines(void* data, size_t size, uint64_t message) {
  char* out = static_cast<char*>(data);
  const uint64_t flag = flagOf(message);
  for (size_t line = 0; line < size; line += kLineBytes) {
    fillPayload(out + line, kDataBytes, message + line);
    std::memcpy(out + line + kDataBytes, &flag, kWord);
  }
}

LineState lookAtLine(const void* data, size_t line, uint64_t message) {
  const char* in = static_cast<const char*>(data) + line * kLineBytes;
  const auto* flag = reinterpret_cast<const uint64_t*>(in + kDataBytes);
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != flagOf(message)) return LineState::kMissing;
  return firstWrongByte(in, kDataBytes, message + line * kLineBytes) == kDataBytes ? LineState::kWhole
                                                                                   : LineState::kTorn;
}

void poison(void* data, size_t size) { std::memset(data, kPoison, size); }

// Poison that equals itself one byte on is poison to the end: memcmp is faster than a loop of bytes.
size_t firstTouchedByte(const void* data, size_t size) {
  const auto* in = static_cast<const unsigned char*>(data);
  if (size == 0 || (in[0] == kPoison && std::memcmp(in, in + 1, size - 1) == 0)) return size;
  return static_cast<size_t>(std::find_if(in, in + size, [](unsigned char c) { return c != kPoison; }) - in);
}

}  // namespace polyrail::contract
