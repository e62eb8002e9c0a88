// SPDX-License-Identifier: Apache-2.0
// What lies in memory that the other side writes (docs/wire-protocol.md, chapter 2), bit for bit, and the immediate.
// A line is 64 bytes, aligned: its tag says whose content it holds. Of the NIC is assumed only that an aligned line
// is placed whole, or its words in ascending order; therefore the tag is the last. Plain values; little-endian
// machines only, as every machine NCCL runs on.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polyrail::net {

static_assert(std::endian::native == std::endian::little);

inline constexpr unsigned kSlots = 32;         // receives in flight: NCCL_NET_MAX_REQUESTS (nccl_net.h, 2.30.7)
inline constexpr unsigned kGroup = 8;          // requests a slot: NCCL's maxRecvs
inline constexpr uint16_t kReceives = 128;     // most receives posted on a path and not used up
inline constexpr unsigned kMaxChunks = 256;    // of one message
inline constexpr unsigned kMaxCommPaths = 24;  // as many as a header line has counters for
inline constexpr uint64_t kChunkGrain = 128;   // LL128 lines must not be split
inline constexpr size_t kLine = 64;

enum GrantFlag : uint16_t {
  kGrantDevice = 1,  // GPU memory
};

struct alignas(kLine) GrantHeader {
  uint32_t epoch;
  uint8_t requests;  // 1..kGroup
  uint8_t reserved[3];
  uint16_t posted[kMaxCommPaths];  // receives posted on each path since its incarnation began, modulo 2^16
  uint64_t tag;                    // slot number, 1, 2, 3 ...
};

struct alignas(kLine) GrantLine {
  uint64_t address, capacity;
  int32_t userTag;
  uint16_t flags;    // GrantFlag
  uint16_t rails;    // receiver rails whose key is valid, one bit each
  uint32_t rkey[8];  // by receiver rail
  uint64_t tag;
};

struct alignas(kLine) CreditLine {
  uint16_t posted[kMaxCommPaths];
  uint64_t newest;  // slot number of the newest grant when it was written
  uint64_t tag;     // counts up
};

struct alignas(kLine) SizeRecord {
  uint64_t size, chunkBytes;
  uint32_t chunks;
  uint32_t reserved[9];
  uint64_t tag;  // slot number
};

struct GrantEntry {
  GrantHeader header;
  GrantLine line[kGroup];
};

// One for each path incarnation, in the sender's memory.
struct GrantRing {
  GrantEntry entry[kSlots];
  CreditLine credit;
};

// In the receiver's memory.
struct SizeRecords {
  SizeRecord record[kSlots][kGroup];
};

static_assert(sizeof(GrantHeader) == kLine && sizeof(GrantLine) == kLine && sizeof(CreditLine) == kLine &&
              sizeof(SizeRecord) == kLine && sizeof(GrantEntry) == 9 * kLine);

// The tag of a line that a NIC writes: what it covers may be read once it is the one expected.
inline uint64_t loadTag(const uint64_t& tag) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(tag)).load(std::memory_order_acquire);
}

// Immediate: slot mod 32 (5 bits), request (3), last (1), chunk (8), generation (slot / 32) mod 2^15 (15).
struct Immediate {
  uint32_t bits;
  static constexpr uint32_t generationOf(uint64_t slot) { return static_cast<uint32_t>(slot / kSlots) & 0x7fff; }
  static constexpr Immediate of(uint64_t slot, unsigned request, unsigned chunk, bool last) {
    return {static_cast<uint32_t>(slot % kSlots) | request << 5 | (last ? 1u << 8 : 0u) | chunk << 9 |
            generationOf(slot) << 17};
  }
  // REQUIRES: made with chunk 0, not last.
  constexpr Immediate with(unsigned chunk, bool last) const { return {bits | (last ? 1u << 8 : 0u) | chunk << 9}; }
  constexpr unsigned slot() const { return bits & 31; }
  constexpr unsigned request() const { return bits >> 5 & 7; }
  constexpr bool last() const { return bits >> 8 & 1; }
  constexpr unsigned chunk() const { return bits >> 9 & 255; }
  constexpr uint32_t generation() const { return bits >> 17; }
};

}  // namespace polyrail::net
