// SPDX-License-Identifier: Apache-2.0
// Cutting a message into chunks, binding them to paths as late as possible, and posting them.
#include <algorithm>

#include "net/data/send_comm.h"
#include "net/schedule/chunking.h"

namespace polyrail::net {

void SendComm::begin(Entry& entry, const void* data, size_t size, const MemoryKeys& keys) {
  const CommOptions& o = set_.options();
  const size_t most = set_.rails()[0].local.maxMessage & ~(kChunkGrain - 1);
  entry.data = static_cast<const char*>(data);
  entry.keys = &keys;
  entry.size = size;
  entry.chunkBytes =
      o.equalSplit ? equalShareFor(size, scheduler_.paths(), most) : chunkBytesFor(size, scheduler_.paths(), most);
  entry.chunks = entry.left = static_cast<uint16_t>(chunkCountFor(size, entry.chunkBytes));
  entry.nextChunk = 0;
  entry.nextPending = nullptr;
  (pendingHead_ ? pendingTail_->nextPending : pendingHead_) = &entry;
  pendingTail_ = &entry;
  backlog_ += size;
  if (measures(size)) now_ = o.clock->nowNs();
}

uint64_t SendComm::lengthOf(const Entry& entry, unsigned chunk) const {
  return std::min(entry.chunkBytes, entry.size - chunk * entry.chunkBytes);
}

void SendComm::pump() {
  // Credit that came outside of a grant is looked for only when it is missed.
  if (eligible_ != (1u << scheduler_.paths()) - 1)
    takeCredit(set_.lines()[grantPath_]->memory.as<GrantRing>()->credit.posted);
  while (pendingHead_ && bindNext(*pendingHead_))
    if (pendingHead_->nextChunk == pendingHead_->chunks) pendingHead_ = pendingHead_->nextPending;
}

int SendComm::choose(const Entry& entry, uint64_t length) {
  if (!set_.options().equalSplit) return scheduler_.pick(length, backlog_, eligible_, now_);
  const unsigned path = entry.chunks == 1 ? static_cast<unsigned>(entry.slot % scheduler_.paths()) : entry.nextChunk;
  return eligible_ >> path & 1 ? static_cast<int>(path) : Scheduler::kNone;
}

bool SendComm::bindNext(Entry& entry) {
  const unsigned chunk = entry.nextChunk;
  const uint64_t length = lengthOf(entry, chunk);
  const int path = choose(entry, length);
  if (path == Scheduler::kNone || !post(entry, chunk, static_cast<unsigned>(path), length)) return false;
  entry.bound[chunk] = static_cast<uint8_t>(path);
  entry.nextChunk++;
  backlog_ -= length;
  scheduler_.post(static_cast<unsigned>(path), length, measures(length) ? now_ : 0);
  return true;
}

// One to three work requests: the data (unless the immediate takes it along), the size record, the immediate.
bool SendComm::post(Entry& entry, unsigned chunk, unsigned path, uint64_t length) {
  PathSet::Line& line = *set_.lines()[path];
  const bool last = chunk + 1u == entry.chunks;
  const bool apart = set_.options().outOfOrder && length > line.path.mtuBytes();
  const bool record = last && (entry.chunks > 1 || (set_.options().outOfOrder && (apart || length == 0)));
  ibv_sge sge[2] = {{reinterpret_cast<uint64_t>(entry.data) + chunk * entry.chunkBytes, static_cast<uint32_t>(length),
                     entry.keys->lkey[line.localRail]},
                    {}};
  ibv_send_wr wr[3] = {};
  ibv_send_wr* next = wr;
  const unsigned count = 1u + apart + record;
  ibv_send_wr& final = wr[count - 1];
  ibv_send_wr& data = apart ? wr[0] : final;
  if (apart) next++;
  if (record) writeSizeRecord(entry, path, next, &sge[1]);
  data.sg_list = sge;
  data.num_sge = length > 0;
  data.wr.rdma.remote_addr = entry.grant.address + chunk * entry.chunkBytes;
  data.wr.rdma.rkey = entry.grant.rkey[line.remoteRail];
  if (apart) data.opcode = IBV_WR_RDMA_WRITE, data.wr_id = WorkId::of(Work::kQuiet, path, line.incarnation).bits;
  final.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  final.imm_data = htobe32(Immediate::of(entry.slot, entry.request, chunk, last).bits);
  final.send_flags = IBV_SEND_SIGNALED;
  if (!apart && !entry.keys->device && length > 0 && length <= set_.options().path.maxInline)
    final.send_flags |= IBV_SEND_INLINE;
  const unsigned index = static_cast<unsigned>(&entry - entries_.get());
  final.wr_id = WorkId::of(Work::kChunk, path, line.incarnation, index, chunk, count).bits;
  for (unsigned i = 0; i + 1 < count; i++) wr[i].next = &wr[i + 1];
  if (!submit(path, wr, count)) return false;
  paths_[path].sent++;
  paths_[path].bytes += length;
  refreshEligible(path);
  return true;
}

void SendComm::writeSizeRecord(Entry& entry, unsigned path, ibv_send_wr* wr, ibv_sge* sge) {
  PathSet::Line& line = *set_.lines()[path];
  SizeRecord& mine = set_.control().as<SizeRecords>()->record[entry.slot % kSlots][entry.request];
  mine = {entry.slot, entry.size, entry.chunkBytes, entry.chunks, {}};
  *sge = {reinterpret_cast<uint64_t>(&mine), sizeof mine, set_.rails()[line.localRail].control.lkey()};
  wr->wr_id = WorkId::of(Work::kQuiet, path, line.incarnation).bits;
  wr->sg_list = sge;
  wr->num_sge = 1;
  wr->opcode = IBV_WR_RDMA_WRITE;
  wr->wr.rdma.remote_addr = line.remoteRing.address + offsetof(SizeRecords, record) +
                            (entry.slot % kSlots * kGroup + entry.request) * sizeof(SizeRecord);
  wr->wr.rdma.rkey = line.remoteRing.rkey;
}

bool SendComm::submit(unsigned path, ibv_send_wr* first, unsigned count) {
  PathSet::Line& line = *set_.lines()[path];
  ibv_send_wr* bad = nullptr;
  const int error = postSend(line.path.queuePair(), first, &bad);
  if (error != 0) {
    failPost(error, line);
    return false;
  }
  paths_[path].queueFree = static_cast<uint16_t>(paths_[path].queueFree - count);
  return true;
}

// The receiver is told by a size record that exceeds its capacity, and a last flag that makes it look there.
void SendComm::refuse(Entry& entry, uint64_t size) {
  const std::string why = "a send of " + std::to_string(size) + " bytes met a receive of " +
                          std::to_string(entry.grant.capacity) + " (tag " + std::to_string(entry.grant.userTag) + ")";
  static const MemoryKeys none;
  entry.data = nullptr;
  entry.keys = &none;
  entry.size = size;
  entry.chunkBytes = size;
  entry.chunks = 2;
  for (unsigned p = 0; p < scheduler_.paths(); p++)
    if (eligible_ >> p & 1) {
      post(entry, 1, p, 0);
      break;
    }
  fail(Outcome::kInvalidUsage, why);
}

}  // namespace polyrail::net
