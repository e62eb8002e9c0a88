// SPDX-License-Identifier: Apache-2.0
// What travels between two ports: a segment of a message (several MTU packets at once), an acknowledgement or a
// response. The header is plain data, so that it can cross to another process as it is. The payload is a list of
// pieces of the sender's memory, copied only when it lands; `own` holds a copy once the sender may reuse its memory.
// Packets belong to the World's pool.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

#include "test/emu/core/event_queue.h"

namespace polyrail::emu {

// The last two pass between processes only, and outside the model (silence.cc).
enum class PacketKind : uint8_t { kRequest, kAck, kNak, kRnrNak, kReadResponse, kAtomicResponse, kAsk, kAnswer };
enum class NakCode : uint8_t { kSequence, kInvalidRequest, kAccess, kOperation };  // IB spec vol. 1, 9.7.5.2.3

struct PacketHeader {
  PacketKind kind = PacketKind::kRequest;
  NakCode nak = NakCode::kSequence;
  uint8_t rnrTimer = 0;
  uint8_t qpType = IBV_QPT_RC;
  uint16_t opcode = 0;  // ibv_wr_opcode of a request
  uint16_t mtu = 0;     // bytes
  bool last = true, solicited = false;
  uint32_t sourceQpn = 0, targetQpn = 0;
  uint32_t sourcePort = 0, targetPort = 0;  // World's port numbers
  uint32_t psn = 0, packets = 1;            // 24 bits; MTU packets that this segment stands for
  uint32_t rkey = 0, immediate = 0, qkey = 0;
  uint32_t length = 0;  // payload bytes
  uint64_t messageLength = 0, offset = 0;
  uint64_t remoteAddress = 0;         // of the message's first byte
  uint64_t compareAdd = 0, swap = 0;  // atomics; compareAdd carries the result back
  uint64_t sourceUid = 0;             // the sending queue pair within its World
  ibv_gid sourceGid{}, targetGid{};
  uint16_t sourceLid = 0;
  uint8_t serviceLevel = 0;
  Time arrival = 0;
};

struct Piece {
  const uint8_t* address;
  uint32_t length;
};

struct Packet {
  PacketHeader header;
  std::vector<Piece> pieces;  // where the payload lies, if it is not in `own`
  std::vector<uint8_t> own;
  bool owned = false;     // the payload is in `own`
  bool onTheWay = false;  // in an event or held back; idle in the pool otherwise
  bool held = false;      // a fault keeps it back: it lands outside the order of its path
  int pid = 0;            // process whose memory the pieces point into, 0: this one
};

}  // namespace polyrail::emu
