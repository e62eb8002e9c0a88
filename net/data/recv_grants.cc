// SPDX-License-Identifier: Apache-2.0
// What the receiver writes: grants, credit, and the receives that stand behind it.
#include <cstring>

#include "net/data/recv_control.h"

namespace polyrail::net {

// Receives carry no buffer: an immediate is all that uses them up.
Status RecvComm::postReceives(unsigned path, unsigned batches) {
  PathState& s = paths_[path];
  PathSet::Line& line = *set_.lines()[path];
  for (unsigned i = 0; i < kReceiveBatch; i++) {
    s.again[i] = {};
    s.again[i].wr_id = WorkId::of(Work::kReceive, path, line.incarnation).bits;
    s.again[i].next = i + 1 < kReceiveBatch ? &s.again[i + 1] : nullptr;
  }
  for (unsigned i = 0; i < batches; i++) {
    ibv_recv_wr* bad;
    if (const int error = postRecv(line.path.queuePair(), s.again, &bad))
      return Status::error("cannot post receives: " + std::string(std::strerror(error)));
    s.posted = static_cast<uint16_t>(s.posted + kReceiveBatch);
  }
  return {};
}

void RecvComm::fillLine(GrantLine* line, const Slot& slot, unsigned r, void* data, int tag, const MemoryKeys& keys) {
  line->tag = slot.number;
  line->address = reinterpret_cast<uint64_t>(data);
  line->capacity = slot.receive[r].capacity;
  line->userTag = tag;
  line->flags = keys.device ? kGrantDevice : 0;
  line->rails = keys.rails;
  std::memcpy(line->rkey, keys.rkey.data(), sizeof line->rkey);
}

void RecvComm::writeGrant(Slot& slot, void* const* data, const int* tags, const MemoryKeys* const* keys) {
  const unsigned index = static_cast<unsigned>(slot.number % kSlots);
  GrantEntry& e = control().grant[index];
  for (unsigned r = 0; r < slot.requests; r++) fillLine(&e.line[r], slot, r, data[r], tags[r], *keys[r]);
  e.header.tag = slot.number;
  e.header.epoch = epoch_;
  e.header.requests = slot.requests;
  const unsigned paths = static_cast<unsigned>(set_.lines().size());
  for (unsigned p = 0; p < paths; p++) e.header.posted[p] = paths_[p].announced = paths_[p].posted;
  PathSet::Line& line = *set_.lines()[grantPath_];
  ibv_sge sge{reinterpret_cast<uint64_t>(&e), static_cast<uint32_t>((1u + slot.requests) * kLine),
              set_.rails()[line.localRail].control.lkey()};
  ibv_send_wr wr{};
  wr.wr_id = WorkId::of(Work::kGrant, grantPath_, line.incarnation).bits;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = line.remoteRing.address + index * sizeof(GrantEntry);
  wr.wr.rdma.rkey = line.remoteRing.rkey;
  submit(grantPath_, &wr);
}

void RecvComm::writeCredit() {
  if (!creditWanted_ || creditUnderWay_ || paths_[grantPath_].queueFree == 0) return;
  CreditLine& credit = control().credit;
  credit.tag++;
  for (unsigned p = 0; p < set_.lines().size(); p++) credit.posted[p] = paths_[p].announced = paths_[p].posted;
  PathSet::Line& line = *set_.lines()[grantPath_];
  ibv_sge sge{reinterpret_cast<uint64_t>(&credit), sizeof credit, set_.rails()[line.localRail].control.lkey()};
  ibv_send_wr wr{};
  wr.wr_id = WorkId::of(Work::kCredit, grantPath_, line.incarnation).bits;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = line.remoteRing.address + offsetof(GrantRing, credit);
  wr.wr.rdma.rkey = line.remoteRing.rkey;
  if (!submit(grantPath_, &wr)) return;
  creditWanted_ = false;
  creditUnderWay_ = true;
}

bool RecvComm::submit(unsigned path, ibv_send_wr* wr) {
  PathSet::Line& line = *set_.lines()[path];
  ibv_send_wr* bad = nullptr;
  const int error = postSend(line.path.queuePair(), wr, &bad);
  if (error != 0) {
    failPost(error, line);
    return false;
  }
  paths_[path].queueFree--;
  return true;
}

}  // namespace polyrail::net
