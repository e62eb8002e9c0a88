// SPDX-License-Identifier: Apache-2.0
#include "net/data/send_comm.h"

#include <algorithm>
#include <climits>

namespace polyrail::net {
namespace {

// Room for 42 chunks in their longest form: WRITE, size record, empty WRITE WITH IMM.
constexpr uint32_t kSendDepth = 128;
constexpr uint32_t kRepairDepth = 2;  // the first WRITE of a path and the marker of its end

}  // namespace

SendComm::SendComm(const CommOptions& options)
    : Comm(options, PathSet::Side::kSender, {kSendDepth + kRepairDepth, 1}) {}

double SendComm::nominalRate(const RailInfo& local, const RailInfo& remote) {
  const uint32_t mbps = std::min(local.speedMbps, remote.speedMbps);
  return (mbps ? mbps : 1000) / 8000.0;  // bytes a ns
}

uint32_t SendComm::idleQueue() { return kSendDepth; }

Status SendComm::plan(std::span<const PathPlan> plan) {
  entries_ = std::make_unique<Entry[]>(size_t{kSlots} * kGroup);
  for (unsigned i = 0; i < kSlots * kGroup; i++) {
    entries_[i].kind = Request::Kind::kSend;
    entries_[i].comm = this;
    entries_[i].index = static_cast<uint8_t>(i);
  }
  return set_.plan(plan, sizeof(SizeRecords));
}

Result<bool> SendComm::join(std::span<const RailInfo> rails, std::span<const PathEnd> paths) {
  Result<bool> joined = set_.join(rails, paths);
  if (!joined.ok() || !joined.value()) return joined;
  beginCare();
  for (unsigned p = 0; p < paths.size(); p++) {
    PathSet::Line& line = *set_.lines()[p];
    const uint32_t sharers = set_.rails()[line.localRail].paths;
    nominal_[p] = nominalRate(localRails()[line.localRail].info, line.remote) / sharers;
    const uint16_t posted = static_cast<uint16_t>(paths[p].postedReceives);
    startPath(p, line, posted, posted);
    refreshEligible(p);
  }
  scheduler_.start({nominal_.data(), paths.size()});
  several_ = paths.size() > 1;
  takeRing(0);
  mostChunk_ = SIZE_MAX;
  for (const LocalRail& rail : localRails()) mostChunk_ = std::min<size_t>(mostChunk_, rail.maxMessage);
  mostChunk_ &= ~(kChunkGrain - 1);
  takeQueues();
  return joined;
}

void SendComm::startPath(unsigned path, const PathSet::Line& line, uint16_t posted, uint16_t credit) {
  PathState& s = paths_[path];
  const uint64_t bytes = s.bytes;
  const uint32_t completions = s.completions;
  s = {};
  s.bytes = bytes;
  s.completions = completions;
  s.sent = static_cast<uint16_t>(posted - credit);
  s.queuePair = line.path.queuePair();
  s.posted = posted;
  s.queueFree = kSendDepth;
  s.incarnation = line.incarnation;
  s.localRail = line.localRail;
  s.remoteRail = line.remoteRail;
  s.workId = WorkId::of(Work::kChunk, path, line.incarnation).bits;
  s.write.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  s.write.sg_list = &s.piece;
}

Outcome SendComm::isend(const void* data, size_t size, int tag, const MemoryKeys& keys, Request** request) {
  *request = nullptr;
  if (!gate_.enter()) return Outcome::kOk;
  const Outcome outcome = isendInside(data, size, tag, keys, request);
  gate_.leave();
  return outcome;
}

[[gnu::always_inline]] inline Outcome SendComm::isendInside(const void* data, size_t size, int tag,
                                                            const MemoryKeys& keys, Request** request) {
  if (failed() || !open_) return outcome_;
  Entry* entry = match(tag);
  if (!entry) return waiting();
  if (size > entry->grant.capacity || size > mostChunk_ * kMaxChunks) {
    refuse(*entry, size);
    return outcome_;
  }
  begin(*entry, data, size, keys);
  *request = entry;
  return outcome_;
}

Outcome SendComm::test(Request& request, int* done, int* sizes) {
  *done = 0;
  if (!gate_.enter()) return Outcome::kOk;
  const Outcome outcome = testInside(static_cast<Entry&>(request), done, sizes);
  gate_.leave();
  return outcome;
}

[[gnu::always_inline]] inline Outcome SendComm::testInside(Entry& entry, int* done, int* sizes) {
  if (entry.left > 0) {
    if (failed()) return outcome_;
    progress();
    if (entry.left > 0) return waiting();
  }
  *done = 1;
  if (sizes) *sizes = static_cast<int>(std::min<uint64_t>(entry.size, INT_MAX));
  slots_[entry.slot % kSlots].inUse &= static_cast<uint8_t>(~(1u << entry.index % kGroup));
  return Outcome::kOk;
}

[[gnu::always_inline]] inline void SendComm::complete(const ibv_wc& wc) {
  const WorkId id{wc.wr_id};
  const unsigned path = id.path();
  PathState& s = paths_[path];
  if (wc.status != IBV_WC_SUCCESS || (!kBare && id.kind() != Work::kChunk)) [[unlikely]]
    return completeOther(wc, id);
  if (!kBare && id.incarnation() != s.incarnation) return;
  Entry& entry = entries_[id.a()];
  entry.left--;
  if constexpr (!kBare) entry.bound[id.b()] |= kCompleted, s.completions++;
  s.queueFree = static_cast<uint16_t>(s.queueFree + id.retires());
  if (!(eligible_ >> path & 1)) refreshEligible(path);
  if (!several_) return;
  const uint64_t length = lengthOf(entry, id.b());
  if (length < kMeasured) return scheduler_.completeSmall(path, length);
  measuring_--;
  scheduler_.complete(path, length, now_, backlog_ > 0);
}

// Its kind of work tells it from others when it completes, so that those cost no comparison.
void SendComm::beginSample(unsigned path, uint64_t length) {
  PathState& s = paths_[path];
  s.write.wr_id = WorkId{s.write.wr_id}.as(Work::kSampled).bits;
  samples_[path].begin(length, idleQueue() - s.queueFree + 1, set_.options().clock->nowNs());
}

void SendComm::endSample(const ibv_wc& wc, WorkId id) {
  samples_[id.path()].end(set_.options().clock->nowNs());
  const bool small = lengthOf(entries_[id.a()], id.b()) < kMeasured;
  paths_[id.path()].untilSample = small ? PathSamples::kEverySmall : PathSamples::kEvery;
  ibv_wc chunk = wc;
  chunk.wr_id = id.as(Work::kChunk).bits;
  complete(chunk);
}

void SendComm::progress() {
  if (measuring_ > 0) now_ = set_.options().clock->nowNs();
  pollRails(*this);
  if (pendingHead_ || (!kBare && missingHead_)) pump();
}

void SendComm::completeOther(const ibv_wc& wc, WorkId id) {
  const unsigned path = id.path();
  PathCare& care = care_[path];
  if (id.incarnation() != set_.lines()[path]->incarnation) return;
  if (id.kind() == Work::kSendMarker)
    care.sendDrained = true;
  else if (id.kind() == Work::kProbe && wc.status == IBV_WC_SUCCESS)
    care.proven = true, care.probing = false, paths_[path].completions++;
  else if (wc.status != IBV_WC_SUCCESS)
    lose(path, why(wc, path));
  else if (id.kind() == Work::kSampled)
    endSample(wc, id);
}

void SendComm::withdraw(const MemoryKeys& keys) {
  const Gate::Hold hold(gate_);
  for (unsigned i = 0; i < kSlots * kGroup; i++) {
    const Entry& entry = entries_[i];
    const bool inUse = slots_[i / kGroup].inUse >> i % kGroup & 1;
    if (inUse && entry.left > 0 && entry.keys == &keys) return loseMemory("send", entry.slot);
  }
}

}  // namespace polyrail::net
