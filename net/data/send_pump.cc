// SPDX-License-Identifier: Apache-2.0
// Cutting a message into chunks, binding them to paths as late as possible, and posting them. What only one caller
// has is inlined by hand, here and in the other files of the hot path: members are not inlined by the compiler for
// that.
#include <algorithm>

#include "net/data/send_comm.h"
#include "net/schedule/chunking.h"

namespace polyrail::net {

[[gnu::always_inline]] inline bool SendComm::submit(unsigned path, ibv_send_wr* first, unsigned count) {
  PathState& s = paths_[path];
  const int error = postSend(s.queuePair, first, &bad_);
  if (error != 0) [[unlikely]]
    return brokenPost(path, error);
  s.queueFree = static_cast<uint16_t>(s.queueFree - count);
  return true;
}

// Part of a chunk may be on its way, so that it counts as bound: a repair finds out whether it arrived.
bool SendComm::brokenPost(unsigned path, int error) {
  lose(path, {Symptom::kPost, error, why("cannot post work", error, path)});
  return outcome_ == Outcome::kOk;
}

bool SendComm::post(Entry& entry, unsigned chunk, unsigned path, uint64_t length) {
  PathState& s = paths_[path];
  const CommOptions& o = set_.options();
  const bool last = chunk + 1u == entry.chunks;
  const uint64_t offset = chunk * entry.chunkBytes;
  s.piece = {reinterpret_cast<uint64_t>(entry.data) + offset, static_cast<uint32_t>(length),
             entry.keys->lkey[s.localRail]};
  ibv_send_wr& wr = s.write;
  wr.wr_id = WorkId{s.workId}.with(entry.index, chunk).bits;
  if (!kBare && --s.untilSample == 0) [[unlikely]]
    beginSample(path, length);
  wr.num_sge = length > 0;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.imm_data = htobe32(Immediate{entry.immediate}.with(chunk, last).bits);
  wr.wr.rdma.remote_addr = entry.grant.address + offset;
  wr.wr.rdma.rkey = entry.grant.rkey[s.remoteRail];
  if (length <= o.path.maxInline && !entry.keys->device && length > 0) wr.send_flags |= IBV_SEND_INLINE;
  const bool parts = o.outOfOrder || (last && chunk > 0);
  if (!(parts ? postParts(entry, chunk, path, length) : submit(path, &wr, 1))) return false;
  s.sent++;
  if constexpr (!kBare) s.bytes += length;
  if (s.sent == s.posted || s.queueFree < kLongestForm) eligible_ &= ~(1u << path);
  return true;
}

// Looking at every path would cost a small message more than the best of them gains; it stays where the last ones
// went as long as little is under way there.
[[gnu::always_inline]] inline int SendComm::chooseSmall(uint64_t length, uint32_t eligible) {
  if (!several_) return eligible ? 0 : Scheduler::kNone;
  constexpr unsigned kStay = 32;
  const bool stay = smallCount_ > 0 && (eligible >> smallPath_ & 1) &&
                    scheduler_.load(smallPath_).inFlight() < static_cast<int64_t>(kMeasured);
  if (!stay) {
    const int path = scheduler_.soonest(length, eligible, now_);
    if (path == Scheduler::kNone) return path;
    smallPath_ = static_cast<unsigned>(path);
    smallCount_ = kStay;
  }
  smallCount_--;
  return static_cast<int>(smallPath_);
}

// A small message need not wait for the windows that hold longer ones back.
[[gnu::always_inline]] inline bool SendComm::sendAtOnce(Entry& entry, uint64_t size) {
  const int path = chooseSmall(size, eligible_);
  if (path == Scheduler::kNone) return false;
  entry.nextChunk = 1;
  if constexpr (!kBare) entry.bound[0] = static_cast<uint8_t>(path);
  if (several_) scheduler_.postSmall(static_cast<unsigned>(path), size);
  return post(entry, 0, static_cast<unsigned>(path), size) || failed();
}

void SendComm::begin(Entry& entry, const void* data, size_t size, const MemoryKeys& keys) {
  entry.data = static_cast<const char*>(data);
  entry.keys = &keys;
  entry.size = size;
  entry.nextChunk = 0;
  entry.chunks = entry.left = 1;
  if constexpr (!kBare) entry.missing = 0;
  entry.chunkBytes = kMeasured;
  if (size < atOnceBelow() && sendAtOnce(entry, size)) return;
  cut(entry);
  enqueue(entry);
  if (measures(size)) now_ = set_.options().clock->nowNs();
  pump();
}

void SendComm::enqueue(Entry& entry) {
  entry.nextPending = nullptr;
  (pendingHead_ ? pendingTail_->nextPending : pendingHead_) = &entry;
  pendingTail_ = &entry;
  backlog_ += entry.size;
}

void SendComm::cut(Entry& entry) {
  const unsigned paths = scheduler_.paths();
  const size_t size = entry.size;
  const CommOptions& o = set_.options();
  const size_t largest = o.largestChunk ? o.largestChunk->load(std::memory_order_relaxed) : kMaxChunk;
  entry.chunkBytes =
      o.equalSplit ? equalShareFor(size, paths, mostChunk_) : chunkBytesFor(size, paths, mostChunk_, largest);
  entry.chunks = entry.left = static_cast<uint16_t>(chunkCountFor(size, entry.chunkBytes));
}

void SendComm::pump() {
  if (eligible_ != usable() && newest_ > 0) takeCredit();
  while (!kBare && missingHead_ && bindMissing(*missingHead_))
    if (missingHead_->missing == 0) missingHead_ = missingHead_->nextMissing;
  while (pendingHead_ && bindNext(*pendingHead_))
    if (pendingHead_->nextChunk == pendingHead_->chunks) pendingHead_ = pendingHead_->nextPending;
}

int SendComm::choose(Entry& entry, uint64_t length) {
  const uint32_t eligible = eligibleFor(entry);
  if (!several_) return eligible ? 0 : Scheduler::kNone;
  if (!set_.options().equalSplit)
    return length < kMeasured ? chooseSmall(length, eligible) : scheduler_.pick(length, backlog_, eligible, now_);
  const unsigned path = entry.chunks == 1 ? static_cast<unsigned>(entry.slot % scheduler_.paths()) : entry.nextChunk;
  if (!(live_ >> path & 1)) return scheduler_.pick(length, backlog_, eligible, now_);
  return eligible >> path & 1 ? static_cast<int>(path) : Scheduler::kNone;
}

bool SendComm::bindNext(Entry& entry) {
  if (!bind(entry, entry.nextChunk)) return false;
  entry.nextChunk++;
  return true;
}

[[gnu::always_inline]] inline bool SendComm::bind(Entry& entry, unsigned chunk) {
  const uint64_t length = lengthOf(entry, chunk);
  const int path = choose(entry, length);
  if (path == Scheduler::kNone || !post(entry, chunk, static_cast<unsigned>(path), length)) return false;
  if constexpr (!kBare) entry.bound[chunk] = static_cast<uint8_t>(path);
  backlog_ -= length;
  if (!several_) return true;
  if (length < kMeasured) {
    scheduler_.postSmall(static_cast<unsigned>(path), length);
  } else {
    measuring_++;
    scheduler_.post(static_cast<unsigned>(path), length, now_);
  }
  return true;
}

bool SendComm::bindMissing(Entry& entry) {
  unsigned chunk = 0;
  while (entry.bound[chunk] != kMissing) chunk++;
  if (!bind(entry, chunk)) return false;
  entry.missing--;
  return true;
}

// Up to three work requests: the data by themselves where the link may reorder them, the size record, the immediate.
bool SendComm::postParts(Entry& entry, unsigned chunk, unsigned path, uint64_t length) {
  PathState& s = paths_[path];
  const bool reorders = set_.options().outOfOrder;
  const bool apart = reorders && length > set_.lines()[path]->path.mtuBytes();
  const bool record = chunk + 1u == entry.chunks && (chunk > 0 || apart || (reorders && length == 0));
  ibv_send_wr whole = s.write, data = s.write, size{};
  ibv_sge recordPiece;
  ibv_send_wr* head = &whole;
  if (record) {
    writeSizeRecord(entry, path, &size, &recordPiece);
    size.next = head;
    head = &size;
  }
  if (apart) {
    data.opcode = IBV_WR_RDMA_WRITE;
    data.send_flags = 0;
    data.wr_id = WorkId::of(Work::kQuiet, path, s.incarnation).bits;
    data.next = head;
    head = &data;
    whole.num_sge = 0;
  }
  const unsigned count = 1u + apart + record;
  const Work kind = WorkId{s.write.wr_id}.kind();
  whole.wr_id = WorkId::of(kind, path, s.incarnation, entry.index, chunk, count).bits;
  return submit(path, head, count);
}

void SendComm::writeSizeRecord(Entry& entry, unsigned path, ibv_send_wr* wr, ibv_sge* sge) {
  PathSet::Line& line = *set_.lines()[path];
  SizeRecord& mine = set_.control().as<SizeRecords>()->record[entry.slot % kSlots][entry.index % kGroup];
  mine = {entry.size, entry.chunkBytes, entry.chunks, {}, entry.slot};
  *sge = {reinterpret_cast<uint64_t>(&mine), sizeof mine, set_.rails()[line.localRail].control.lkey()};
  wr->wr_id = WorkId::of(Work::kQuiet, path, line.incarnation).bits;
  wr->sg_list = sge;
  wr->num_sge = 1;
  wr->opcode = IBV_WR_RDMA_WRITE;
  wr->wr.rdma.remote_addr =
      line.remoteRing.address + offsetof(SizeRecords, record) + entry.index * sizeof(SizeRecord);
  wr->wr.rdma.rkey = line.remoteRing.rkey;
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
  fail(Outcome::kInvalidUsage, Ending::kMisuse, why);
}

}  // namespace polyrail::net
