// SPDX-License-Identifier: Apache-2.0
// What messages of `polyrail perf` carry: bytes that depend on the message's number and on the offset, so that a
// lost, doubled, moved or foreign byte shows. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace polyrail::cli {

// How a message's bytes follow from its number.
enum class Content {
  kFresh,    // every byte is this message's own
  kStamped,  // the slot's pattern, which stays there, behind eight bytes that are the message's number
};

inline constexpr size_t kStampBytes = sizeof(uint64_t);

void fillPattern(void* data, size_t size, uint64_t pattern);
// Offset of the first byte from `from` on that is not the pattern's, or `size`.
size_t firstWrongByte(const void* data, size_t size, uint64_t pattern, size_t from = 0);

void stamp(void* data, uint64_t number);  // eight bytes
bool isStamped(const void* data, uint64_t number);

}  // namespace polyrail::cli
