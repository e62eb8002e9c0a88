// SPDX-License-Identifier: Apache-2.0
#include "net/data/recv_comm.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "net/data/recv_control.h"

namespace polyrail::net {
namespace {

constexpr uint32_t kSendDepth = 64;   // 32 grants, the credit line, the mailbox
constexpr uint32_t kRepairDepth = 2;  // the first WRITE of a path and the marker of its end

}  // namespace

RecvComm::RecvComm(const CommOptions& options)
    : Comm(options, PathSet::Side::kReceiver, {kSendDepth + kRepairDepth, kReceives + 1}) {}

uint32_t RecvComm::idleQueue() { return kSendDepth; }

Status RecvComm::plan(std::span<const PathPlan> plan) {
  slots_ = std::make_unique<Slot[]>(kSlots);
  for (unsigned i = 0; i < kSlots; i++) slots_[i].kind = Request::Kind::kReceive, slots_[i].comm = this;
  flusher_.start(this, localRails().size());
  if (set_.options().flush) set_.reserveCompletions(Flusher::kDepth);
  if (set_.options().flush && set_.options().failover)
    via_ = std::make_unique_for_overwrite<uint8_t[]>(size_t{kSlots} * kGroup * kMaxChunks);
  return set_.plan(plan, sizeof(Control));
}

Result<bool> RecvComm::prepare() {
  if (!pathsPrepared_) {
    Result<bool> ready = set_.prepare();
    if (!ready.ok()) return ready;
    pathsPrepared_ = ready.value();
    return false;
  }
  if (set_.options().flush && flushRails_ < ownRails()) {
    if (const Status s = flusher_.prepare(set_, flushRails_++); !s.ok()) return s;
    return false;
  }
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    startPath(p);
    if (const Status s = postReceives(p, kReceives / kReceiveBatch); !s.ok()) return s;
  }
  announced_ = posted_;
  takeQueues();
  return true;
}

void RecvComm::startPath(unsigned path) {
  const PathSet::Line& line = *set_.lines()[path];
  PathState& s = paths_[path];
  s.queuePair = line.path.queuePair();
  s.incarnation = line.incarnation;
  s.localRail = line.localRail;
  s.queueFree = kSendDepth;
  s.arrived += s.consumed;
  s.consumed = 0;
}

PathEnd RecvComm::describe(unsigned path) const {
  PathEnd end = set_.describe(path);
  end.grants = {reinterpret_cast<uint64_t>(&control().sizes), set_.rails()[end.receiverRail].control.rkey()};
  end.postedReceives = posted_[path];
  return end;
}

std::vector<PathEnd> RecvComm::describe() const {
  std::vector<PathEnd> ends;
  for (unsigned p = 0; p < set_.lines().size(); p++) ends.push_back(describe(p));
  return ends;
}

Result<bool> RecvComm::join(std::span<const RailInfo> rails, std::span<const PathEnd> paths) {
  Result<bool> joined = set_.join(rails, paths);
  if (!joined.ok() || !joined.value()) return joined;
  startGrants();
  beginCare();
  joined_ = true;
  return joined;
}

Outcome RecvComm::iflush(unsigned n, void* const* data, const MemoryKeys* const* keys, Request** request) {
  *request = nullptr;
  const Gate::Pass pass(gate_);
  if (!pass) return Outcome::kOk;
  if (failed()) return outcome_;
  const int error = flusher_.flush(set_, reinterpret_cast<uint64_t>(control().flushed), n, data, keys, request);
  if (error != 0)
    fail(Outcome::kSystemError, Ending::kFlush, std::string("cannot post a flush: ") + std::strerror(error));
  return outcome_;
}

Outcome RecvComm::test(Request& request, int* done, int* sizes) {
  *done = 0;
  if (!gate_.enter()) return Outcome::kOk;
  const Outcome outcome = testInside(static_cast<Slot&>(request), done, sizes);
  gate_.leave();
  return outcome;
}

[[gnu::always_inline]] inline Outcome RecvComm::testInside(Slot& slot, int* done, int* sizes) {
  if (slot.left > 0) {
    if (failed()) return outcome_;
    progress();
    if (slot.left > 0) return waiting();
  }
  *done = 1;
  for (unsigned r = 0; sizes && r < slot.requests; r++)
    sizes[r] = static_cast<int>(std::min<uint64_t>(slot.receive[r].size, INT_MAX));
  slot.busy = false;
  return Outcome::kOk;
}

Outcome RecvComm::testFlush(Request& request, int* done) {
  *done = 0;
  const Gate::Pass pass(gate_);
  if (!pass) return Outcome::kOk;
  if (!flusher_.done(request)) {
    if (failed()) return outcome_;
    progress();
    if (!flusher_.done(request)) return flushing(request);
  }
  *done = 1;
  flusher_.release(request);
  return Outcome::kOk;
}

// A READ on a rail that is not polled any more has no end; what it was to make visible may lie in that NIC.
Outcome RecvComm::flushing(const Request& request) {
  for (unsigned rail = 0; rail < localRails().size(); rail++)
    if (flusher_.waitsFor(request, rail) && !isPolled(rail))
      return fail(
          Outcome::kSystemError, Ending::kFlush,
          localRails()[rail].info.name + ": GPU memory cannot be flushed, for the completion queue cannot be polled");
  return outcome_;
}

void RecvComm::withdraw(const MemoryKeys& keys) {
  const Gate::Hold hold(gate_);
  for (unsigned i = 0; i < kSlots; i++)
    for (unsigned r = 0; slots_[i].left > 0 && r < slots_[i].requests; r++)
      if (slots_[i].receive[r].keys == &keys) return loseMemory("receive", slots_[i].number);
}

}  // namespace polyrail::net
