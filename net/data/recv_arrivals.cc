// SPDX-License-Identifier: Apache-2.0
// What arrives: each immediate counted exactly once, sizes learnt, receives posted again.
#include "net/data/recv_control.h"

namespace polyrail::net {
namespace {

// When so many receives have been posted since the sender was told, it is told without waiting for a grant.
constexpr uint16_t kCreditLow = 64;

}  // namespace

[[gnu::noinline]] void RecvComm::arrive(const ibv_wc& wc, unsigned path) {
  PathState& s = paths_[path];
  if (++s.consumed == kReceiveBatch) replenish(path);
  const Immediate imm{be32toh(wc.imm_data)};
  Slot& slot = slots_[imm.slot()];
  const unsigned r = imm.request();
  Receive& receive = slot.receive[r];
  if (imm.generation() != Immediate::generationOf(slot.number) || r >= slot.requests ||
      (!kBare && !receive.isFirst(imm.chunk()))) {
    strays_++;
    return;
  }
  receive.count++;
  if constexpr (!kBare) s.bytes += wc.byte_len;
  if (receive.device) {
    flusher_.arrived(s.localRail);
    if (!kBare && via_) via(slot, r)[imm.chunk()] = static_cast<uint8_t>(path);
  }
  if (imm.last()) {
    receive.chunks = static_cast<uint16_t>(imm.chunk() + 1);
    if (!learnSize(slot, r, wc)) return;
  }
  if (receive.count == receive.chunks) slot.left--;
}

// Inlined where the completions are polled, so that those of grants cost no call.
[[gnu::always_inline]] inline void RecvComm::complete(const ibv_wc& wc) {
  const WorkId id{wc.wr_id};
  const unsigned path = id.path();
  PathState& s = paths_[path];
  if (wc.status != IBV_WC_SUCCESS || id.kind() > Work::kCredit) [[unlikely]]
    return completeOther(wc, id);
  if (!kBare && id.incarnation() != s.incarnation) return;
  if (id.kind() == Work::kReceive) return arrive(wc, path);
  s.queueFree++;
  if constexpr (!kBare) s.completions++;
  if (id.kind() == Work::kCredit && (kBare || path == grantPath_)) creditUnderWay_ = false;
}

void RecvComm::progress() {
  pollRails(*this);
  if (!kBare && regrant_ < next_) [[unlikely]]
    regrant();
  if (creditWanted_) writeCredit();
}

void RecvComm::completeOther(const ibv_wc& wc, WorkId id) {
  const unsigned path = id.path();
  if (id.kind() == Work::kFlush) return completeFlush(wc);
  if (id.incarnation() != set_.lines()[path]->incarnation) return;
  PathCare& care = care_[path];
  if (id.kind() == Work::kSendMarker)
    care.sendDrained = true;
  else if (id.kind() == Work::kReceiveMarker)
    care.receiveDrained = true;
  else if (id.kind() == Work::kProbe && wc.status == IBV_WC_SUCCESS)
    care.proven = true, care.probing = false, paths_[path].completions++;
  else
    breakPath(path, why(wc, path));
}

void RecvComm::completeFlush(const ibv_wc& wc) {
  const WorkId id{wc.wr_id};
  if (wc.status == IBV_WC_SUCCESS) return flusher_.complete(id.path(), id.a());
  fail(Outcome::kSystemError, Ending::kFlush,
       localRails()[id.path()].info.name + ": a flush failed: " + set_.options().verbs->wcStatusStr(wc.status));
}

void RecvComm::replenish(unsigned path) {
  PathState& s = paths_[path];
  if constexpr (!kBare) s.arrived += s.consumed;
  s.consumed = 0;
  if (!kBare && care_[path].phase == PathCare::Phase::kBroken) return;
  ibv_recv_wr* bad;
  const int error = postRecv(s.queuePair, again_[path].data(), &bad);
  if (error != 0) return void(breakPath(path, {Symptom::kPost, error, why("cannot post receives", error, path)}));
  posted_[path] = static_cast<uint16_t>(posted_[path] + kReceiveBatch);
  if (static_cast<uint16_t>(posted_[path] - announced_[path]) >= kCreditLow) creditWanted_ = true;
}

bool RecvComm::learnSize(Slot& slot, unsigned r, const ibv_wc& wc) {
  Receive& receive = slot.receive[r];
  const bool told = receive.chunks == 1 && (wc.byte_len > 0 || !set_.options().outOfOrder);
  if (!told) return readSizeRecord(slot, r);
  receive.size = wc.byte_len;
  return true;
}

// It was written on the same queue pair just before the immediate, so it is there.
bool RecvComm::readSizeRecord(Slot& slot, unsigned r) {
  const SizeRecord& record = control().sizes.record[slot.number % kSlots][r];
  Receive& receive = slot.receive[r];
  if (loadTag(record.tag) != slot.number || record.chunks != receive.chunks) {
    fail(Outcome::kRemoteError, Ending::kProtocol, "the peer's size record does not belong to its last chunk");
    return false;
  }
  if (record.size > receive.capacity) {
    fail(Outcome::kInvalidUsage, Ending::kMisuse,
         "a send of " + std::to_string(record.size) + " bytes met a receive of " + std::to_string(receive.capacity));
    return false;
  }
  receive.size = record.size;
  return true;
}

}  // namespace polyrail::net
