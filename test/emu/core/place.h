// SPDX-License-Identifier: Apache-2.0
// Putting a packet's payload where it belongs.
#pragma once

#include <vector>

#include "test/emu/core/packet.h"

namespace polyrail::emu {

class World;

// Copies the payload into the pieces (host memory, already checked against the regions), looking out for sealed
// ranges. False when the payload cannot be had any more because its process is gone: the packet is then as good as
// lost.
bool place(World& world, const Packet& packet, const std::vector<Piece>& to);

}  // namespace polyrail::emu
