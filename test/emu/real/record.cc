// SPDX-License-Identifier: Apache-2.0
#include "test/emu/real/record.h"

#include <cstring>

namespace polyrail::emu {
namespace {

struct RecordHead {
  PacketHeader packet;
  uint32_t pieces = 0;   // follow as they are
  uint32_t payload = 0;  // bytes that follow the pieces
};

bool carriesPayload(const Packet& packet, bool withPayload) {
  return withPayload || packet.owned || packet.header.length <= kInlinePayload;
}

}  // namespace

size_t recordSize(const Packet& packet, bool withPayload) {
  const bool carries = carriesPayload(packet, withPayload);
  return sizeof(RecordHead) + (carries ? packet.header.length : packet.pieces.size() * sizeof(Piece));
}

void writeRecord(const Packet& packet, bool withPayload, uint8_t* out) {
  RecordHead head;
  head.packet = packet.header;
  uint8_t* body = out + sizeof head;
  if (!carriesPayload(packet, withPayload)) {
    head.pieces = static_cast<uint32_t>(packet.pieces.size());
    std::memcpy(body, packet.pieces.data(), packet.pieces.size() * sizeof(Piece));
  } else {
    head.payload = packet.header.length;
    if (packet.owned && head.payload > 0) std::memcpy(body, packet.own.data(), head.payload);
    if (!packet.owned)
      for (const Piece& piece : packet.pieces) {
        std::memcpy(body, piece.address, piece.length);
        body += piece.length;
      }
  }
  std::memcpy(static_cast<void*>(out), &head, sizeof head);
}

bool readRecord(std::span<const uint8_t> bytes, int pid, Packet* packet) {
  RecordHead head;
  if (bytes.size() < sizeof head) return false;
  std::memcpy(static_cast<void*>(&head), bytes.data(), sizeof head);
  const std::span<const uint8_t> body = bytes.subspan(sizeof head);
  if (body.size() != head.pieces * sizeof(Piece) + head.payload) return false;
  packet->header = head.packet;
  packet->pid = pid;
  packet->owned = head.pieces == 0;
  packet->own.assign(body.begin(), packet->owned ? body.end() : body.begin());
  packet->pieces.resize(head.pieces);
  if (head.pieces > 0) std::memcpy(packet->pieces.data(), body.data(), head.pieces * sizeof(Piece));
  return true;
}

}  // namespace polyrail::emu
