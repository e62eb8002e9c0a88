// SPDX-License-Identifier: Apache-2.0
// irecv, and what the receiver writes: grants, credit, and the receives that stand behind it.
#include <cstring>

#include "net/data/recv_control.h"

namespace polyrail::net {

// Receives carry no buffer: an immediate is all that uses them up.
Status RecvComm::postReceives(unsigned path, unsigned batches) {
  Chain& chain = again_[path];
  PathSet::Line& line = *set_.lines()[path];
  for (unsigned i = 0; i < kReceiveBatch; i++) {
    chain[i] = {};
    chain[i].wr_id = WorkId::of(Work::kReceive, path, line.incarnation).bits;
    chain[i].next = i + 1 < kReceiveBatch ? &chain[i + 1] : nullptr;
  }
  for (unsigned i = 0; i < batches; i++) {
    ibv_recv_wr* bad;
    if (const int error = postRecv(line.path.queuePair(), chain.data(), &bad))
      return Status::error("cannot post receives: " + std::string(std::strerror(error)));
    posted_[path] = static_cast<uint16_t>(posted_[path] + kReceiveBatch);
  }
  return {};
}

[[gnu::always_inline]] inline void RecvComm::fillLine(GrantLine* line, const Slot& slot, unsigned r, void* data,
                                                      int tag, const MemoryKeys& keys) {
  line->tag = slot.number;
  line->address = reinterpret_cast<uint64_t>(data);
  line->capacity = slot.receive[r].capacity;
  line->userTag = tag;
  line->flags = keys.device ? kGrantDevice : 0;
  if constexpr (!kBare) line->rails = keys.rails;
  std::memcpy(line->rkey, keys.rkey.data(), sizeof line->rkey);
}

// Into the sender's ring, on the grant path.
[[gnu::always_inline]] inline bool RecvComm::write(Work kind, const void* from, uint32_t bytes, uint64_t ringOffset) {
  PathState& s = paths_[grantPath_];
  grantPiece_.addr = reinterpret_cast<uint64_t>(from);
  grantPiece_.length = bytes;
  grantWrite_.wr_id = WorkId::of(kind, grantPath_, s.incarnation).bits;
  grantWrite_.wr.rdma.remote_addr = ring_.address + ringOffset;
  const int error = postSend(s.queuePair, &grantWrite_, &bad_);
  if (error != 0) [[unlikely]]
    breakPath(grantPath_,
              {Symptom::kPost, error, why("cannot post work", error, grantPath_)});  // a repair writes it again
  else
    s.queueFree--;
  return outcome_ == Outcome::kOk;
}

bool RecvComm::writeGrant(const Slot& slot, GrantEntry& e) {
  e.header.tag = slot.number;
  if constexpr (!kBare) e.header.epoch = epoch_;
  e.header.requests = slot.requests;
  std::memcpy(e.header.posted, posted_.data(), sizeof e.header.posted);
  announced_ = posted_;
  return write(Work::kGrant, &e, static_cast<uint32_t>((1u + slot.requests) * kLine),
               slot.number % kSlots * sizeof(GrantEntry));
}

void RecvComm::writeCredit() {
  if (creditUnderWay_ || !(live_ >> grantPath_ & 1) || paths_[grantPath_].queueFree == 0) return;
  CreditLine& credit = control().credit;
  credit.tag++;
  credit.newest = next_ - 1;
  std::memcpy(credit.posted, posted_.data(), sizeof credit.posted);
  announced_ = posted_;
  if (!write(Work::kCredit, &credit, sizeof credit, offsetof(GrantRing, credit))) return;
  creditWanted_ = false;
  creditUnderWay_ = true;
}

void RecvComm::startGrants() {
  ring_ = set_.lines()[grantPath_]->remoteRing;
  grantPiece_.lkey = set_.rails()[paths_[grantPath_].localRail].control.lkey();
  grantWrite_ = {};
  grantWrite_.sg_list = &grantPiece_;
  grantWrite_.num_sge = 1;
  grantWrite_.opcode = IBV_WR_RDMA_WRITE;
  grantWrite_.send_flags = IBV_SEND_SIGNALED;
  grantWrite_.wr.rdma.rkey = ring_.rkey;
}

[[gnu::always_inline]] inline Outcome RecvComm::irecvInside(unsigned n, void* const* data, const size_t* capacities,
                                                            const int* tags, const MemoryKeys* const* keys,
                                                            Request** request) {
  if (failed()) return outcome_;
  Slot& slot = slots_[next_ % kSlots];
  if (slot.busy || (!kBare && !(live_ >> grantPath_ & 1)) || paths_[grantPath_].queueFree == 0) return outcome_;
  slot.number = next_;
  slot.requests = slot.left = static_cast<uint8_t>(n);
  GrantEntry& entry = control().grant[next_ % kSlots];
  for (unsigned r = 0; r < n; r++) {
    Receive& receive = slot.receive[r];
    if constexpr (!kBare) receive.arrived = {};
    receive.capacity = capacities[r], receive.size = 0, receive.keys = keys[r];
    receive.count = receive.chunks = 0, receive.device = keys[r]->device;
    fillLine(&entry.line[r], slot, r, data[r], tags[r], *keys[r]);
  }
  if (!writeGrant(slot, entry)) return outcome_;
  slot.busy = true;
  next_++;
  *request = &slot;
  return outcome_;
}

Outcome RecvComm::irecv(unsigned n, void* const* data, const size_t* capacities, const int* tags,
                        const MemoryKeys* const* keys, Request** request) {
  *request = nullptr;
  if (!gate_.enter()) return Outcome::kOk;
  const Outcome outcome = irecvInside(n, data, capacities, tags, keys, request);
  gate_.leave();
  return outcome;
}

}  // namespace polyrail::net
