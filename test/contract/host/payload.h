// SPDX-License-Identifier: Apache-2.0
// What the messages of the net suite carry: bytes that depend on the message and on the offset, so that a lost,
// doubled, moved or foreign byte shows; and lines as NCCL's LL128 has them, 120 bytes and a flag that says they are
// there. Poison marks memory that nobody may have written. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyrail::contract {

inline constexpr size_t kLineBytes = 128;
inline constexpr unsigned char kPoison = 0xdb;

void fillPayload(void* data, size_t size, uint64_t message);
// Offset of the first wrong byte, or `size`.
size_t firstWrongByte(const void* data, size_t size, uint64_t message);

// REQUIRES: size % kLineBytes == 0.
void fillLines(void* data, size_t size, uint64_t message);
enum class LineState { kMissing, kTorn, kWhole };
// Torn: the flag is there but not all of the bytes before it.
LineState lookAtLine(const void* data, size_t line, uint64_t message);

void poison(void* data, size_t size);
// Offset of the first byte that is no poison, or `size`.
size_t firstTouchedByte(const void* data, size_t size);

}  // namespace polyrail::contract
