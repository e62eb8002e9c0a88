// SPDX-License-Identifier: Apache-2.0
// A packet as bytes in a ring: header, where its payload lies in the sender's memory, or the payload itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "test/emu/core/packet.h"

namespace polyrail::emu {

// Payloads up to this size always travel in the ring: copying them twice costs less than a system call.
constexpr size_t kInlinePayload = 8192;

size_t recordSize(const Packet& packet, bool withPayload);
void writeRecord(const Packet& packet, bool withPayload, uint8_t* out);
// Fills a fresh packet; false when the bytes are not a record.
bool readRecord(std::span<const uint8_t> bytes, int pid, Packet* packet);

}  // namespace polyrail::emu
