// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/place.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

// Walks two lists of pieces side by side.
void copyPieces(const std::vector<Piece>& from, const std::vector<Piece>& to) {
  size_t f = 0;
  uint32_t used = 0;
  for (const Piece& target : to) {
    uint32_t filled = 0;
    while (filled < target.length && f < from.size()) {
      const uint32_t part = std::min(target.length - filled, from[f].length - used);
      copyInOrder(const_cast<uint8_t*>(target.address) + filled, from[f].address + used, part);
      filled += part;
      used += part;
      if (used == from[f].length) f++, used = 0;
    }
  }
}

}  // namespace

void copyInOrder(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (to < from + bytes && from < to + bytes) {  // a loopback may write onto itself
    std::memmove(to, from, bytes);
    return;
  }
  constexpr size_t kWord = sizeof(uint64_t);
  size_t i = 0;
  for (; i < bytes && reinterpret_cast<uintptr_t>(to + i) % kWord != 0; i++) to[i] = from[i];
  for (; i + kWord <= bytes; i += kWord) {
    uint64_t word;
    std::memcpy(&word, from + i, kWord);
    std::atomic_ref(*reinterpret_cast<uint64_t*>(to + i)).store(word, std::memory_order_release);
  }
  for (; i < bytes; i++) to[i] = from[i];
}

bool place(World& world, const Packet& packet, const std::vector<Piece>& to) {
  for (const Piece& piece : to) world.memory().check(piece.address, piece.length, packet.header);
  if (packet.pid != 0 && !packet.owned) return world.options().remote->fetch(packet, to);
  if (packet.owned)
    copyPieces({{packet.own.data(), static_cast<uint32_t>(packet.own.size())}}, to);
  else
    copyPieces(packet.pieces, to);
  return true;
}

}  // namespace polyrail::emu
