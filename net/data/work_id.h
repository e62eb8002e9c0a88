// SPDX-License-Identifier: Apache-2.0
// What a work request's id says: enough to account for its completion without another look-up, and to drop those of
// an older incarnation of a path. Plain value.
#pragma once

#include <cstdint>

namespace polyrail::net {

enum class Work : uint8_t {
  kChunk,    // a data chunk, with `a` = entry in the request table, `b` = chunk
  kQuiet,    // not signaled: seen only when it fails
  kReceive,  // a posted receive
  kGrant,
  kCredit,
  kFlush,       // `a` = flush request
  kSendMarker,  // of a queue pair in ERR: what was posted before it has completed
  kReceiveMarker,
  kProbe,   // the first WRITE on a new path
  kSampled  // a chunk whose time is taken
};

struct WorkId {
  uint64_t bits;
  static constexpr WorkId of(Work kind, unsigned path, uint16_t incarnation, unsigned a = 0, unsigned b = 0,
                             unsigned retires = 1) {
    return {static_cast<uint64_t>(kind) | uint64_t{path} << 8 | uint64_t{incarnation} << 16 | uint64_t{a} << 32 |
            uint64_t{b} << 40 | uint64_t{retires} << 48};
  }
  // REQUIRES: made with a = b = 0.
  constexpr WorkId with(unsigned a, unsigned b) const { return {bits | uint64_t{a} << 32 | uint64_t{b} << 40}; }
  constexpr WorkId as(Work kind) const { return {(bits & ~uint64_t{255}) | static_cast<uint64_t>(kind)}; }
  constexpr Work kind() const { return static_cast<Work>(bits & 255); }
  constexpr unsigned path() const { return bits >> 8 & 255; }
  constexpr uint16_t incarnation() const { return static_cast<uint16_t>(bits >> 16); }
  constexpr unsigned a() const { return bits >> 32 & 255; }
  constexpr unsigned b() const { return bits >> 40 & 255; }
  constexpr unsigned retires() const { return bits >> 48 & 255; }  // places in the send queue that are free again
};

}  // namespace polyrail::net
