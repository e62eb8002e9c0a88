// SPDX-License-Identifier: Apache-2.0
// Packet sequence numbers: 24 bits on the wire, 64 inside. Pure functions.
#pragma once

#include <cstdint>

namespace polyrail::emu {

inline uint32_t toWire(uint64_t psn) { return static_cast<uint32_t>(psn & 0xffffff); }

// The 64-bit number nearest to `reference` that a 24-bit one can mean (IB spec vol. 1, 9.7.2: half the range is past,
// half to come).
inline uint64_t fromWire(uint32_t psn, uint64_t reference) {
  const uint32_t ahead = (psn - static_cast<uint32_t>(reference)) & 0xffffff;
  return ahead < 0x800000 ? reference + ahead : reference - (0x1000000 - ahead);
}

}  // namespace polyrail::emu
