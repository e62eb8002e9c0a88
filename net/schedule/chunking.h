// SPDX-License-Identifier: Apache-2.0
// How a message is cut. Pure functions of sizes; both ends could compute them, only the sender does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "net/path/layout.h"

namespace polyrail::net {

// A work request costs about as much time as 8 KiB at 400 Gb/s; below this a share of a rail is not worth one.
inline constexpr size_t kMinChunk = 64 << 10;
// Above it the tail of a message only gets longer.
inline constexpr size_t kMaxChunk = 1 << 20;
// So many chunks a path let unequal rails end a message close together.
inline constexpr size_t kChunksPerPath = 8;

constexpr size_t roundUp(size_t n, size_t grain) { return (n + grain - 1) / grain * grain; }

// Bytes of each chunk but the last, a multiple of kChunkGrain, so that there are at most kMaxChunks and none exceeds
// `most` (of the rail, a multiple of kChunkGrain). Up to kMinChunk a message goes whole; with one path up to
// kMaxChunk. `largest`, kMinChunk to kMaxChunk, is what several paths may be given at once where many peers share
// them.
constexpr size_t chunkBytesFor(size_t size, size_t paths, size_t most, size_t largest = kMaxChunk) {
  const size_t fair = paths == 1 ? kMaxChunk : std::min(size / (kChunksPerPath * paths), largest);
  const size_t wished = std::clamp(fair, kMinChunk, kMaxChunk);
  const size_t needed = (size + kMaxChunks - 1) / kMaxChunks;
  return std::min(roundUp(std::max(wished, needed), kChunkGrain), most);
}

// What NCCL's own transport does: one share a path, whatever their rates.
constexpr size_t equalShareFor(size_t size, size_t paths, size_t most) {
  return std::min(std::max(roundUp((size + paths - 1) / paths, kChunkGrain), size_t{kChunkGrain}), most);
}

constexpr uint32_t chunkCountFor(size_t size, size_t chunkBytes) {
  return size == 0 ? 1 : static_cast<uint32_t>((size + chunkBytes - 1) / chunkBytes);
}

}  // namespace polyrail::net
