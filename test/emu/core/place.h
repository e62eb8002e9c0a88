// SPDX-License-Identifier: Apache-2.0
// Putting a packet's payload where it belongs.
#pragma once

#include <cstddef>
#include <vector>

#include "test/emu/core/packet.h"

namespace polyrail::emu {

class World;

// Copies the payload into the pieces (host memory, already checked against the regions), looking out for sealed
// ranges. False when the payload cannot be had any more because its process is gone: the packet is then as good as
// lost.
bool place(World& world, const Packet& packet, const std::vector<Piece>& to);

// Copies as a NIC writes: a program that watches the last word of a line (NCCL's LL128) sees the words before it. A
// kernel's or a library's copy promises no order. Overlapping ranges are moved as memmove does.
void copyInOrder(uint8_t* to, const uint8_t* from, size_t bytes);

}  // namespace polyrail::emu
