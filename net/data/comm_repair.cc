// SPDX-License-Identifier: Apache-2.0
// Failure repair, what both ends do alike (docs/wire-protocol.md, chapter 5): breaking paths, stopping their queue
// pairs, finding out that nothing is owed any more.
#include <bit>
#include <cerrno>

#include "net/data/comm.h"

namespace polyrail::net {
void Comm::beginCare() {
  planned_ = static_cast<unsigned>(set_.lines().size());
  live_ = static_cast<uint32_t>((uint64_t{1} << set_.lines().size()) - 1);
  note(EventKind::kOpened, kNoPathOfEvent, planned_);
  for (unsigned r = 0; r < localRails().size(); r++)
    if (const RailHealth* health = localRails()[r].health)
      seen_[r] = {health->downs.load(std::memory_order_acquire), health->ups.load(std::memory_order_acquire)};
}

Status Comm::renew(unsigned path, uint16_t incarnation, int64_t until) {
  const unsigned rail = set_.lines()[path]->localRail;
  const bool first = !set_.rails()[rail].cq;
  Status renewed = set_.renew(path, incarnation, until);
  if (first && set_.rails()[rail].cq) takeQueue(rail);
  if (renewed.ok() && !hasMemory(rail)) memoryWanted_ |= 1u << rail;
  return renewed;
}

bool Comm::takeMemory(unsigned rail, const Status& status) {
  memoryWanted_ &= ~(1u << rail);
  if (status.ok()) memoryThere_ |= 1u << rail;
  return status.ok();
}

bool Comm::breakPath(unsigned path, const Failure& failure) {
  PathCare& care = care_[path];
  if (care.phase == PathCare::Phase::kLive) care.first = failure;
  if (!set_.options().failover) {
    fail(Outcome::kRemoteError, Ending::kPath, failure.text);
    return false;
  }
  if (care.phase == PathCare::Phase::kBroken || care.phase == PathCare::Phase::kFenced) {
    explain(path, failure);
    return true;
  }
  care.phase = PathCare::Phase::kBroken;
  care.stopped = care.sendDrained = care.receiveDrained = false;
  care.told = care.probing = false;
  care.brokenSince = set_.options().clock->nowNs();
  care.why = failure.text;
  care.failures++;
  care.broken += !(quiet_ >> path & 1);
  care.changed = set_.options().clock->nowNs();
  live_ &= ~(1u << path);
  note(EventKind::kFailed, path, queuePair(path));
  report(path, failure.symptom == Symptom::kNone, failure.text);  // given back: no failure
  if (wake_) wake_(waked_);
  return true;
}

// An event of the NIC that comes after the first error says what was behind it.
void Comm::explain(unsigned path, const Failure& failure) {
  const bool event = failure.symptom == Symptom::kPortDown || failure.symptom == Symptom::kDeviceLost;
  Failure& first = care_[path].first;
  if (!event || first.symptom == Symptom::kPortDown || first.symptom == Symptom::kDeviceLost) return;
  first = failure;
  report(path, false, failure.text);
}

void Comm::report(unsigned path, bool good, const std::string& what) {
  const PathSet::Line& line = *set_.lines()[path];
  if (quiet_ >> path & 1) return;
  news_.push_back({line.localRail, good ? "is back" : "failed",
                   "path " + localRails()[line.localRail].info.name + " - " + line.remote.name + ": " + what + "; " +
                       std::to_string(std::popcount(live_)) + " of " + std::to_string(set_.lines().size()) +
                       " paths carry data"});
}

void Comm::breakRail(unsigned rail, const Failure& failure) {
  for (unsigned p = 0; p < set_.lines().size(); p++)
    if (set_.lines()[p]->localRail == rail) breakPath(p, failure);
}

// A NIC whose queue cannot be polled any more owes nothing that could be had.
void Comm::failPoll(unsigned queue) {
  const unsigned rail = queueRail_[queue];
  const std::string why = localRails()[rail].info.name + ": the completion queue cannot be polled";
  queueCount_--;
  queues_[queue] = queues_[queueCount_];
  queueRail_[queue] = queueRail_[queueCount_];
  if (!set_.options().failover) {
    fail(Outcome::kSystemError, Ending::kLocalEvent, why);
    return;
  }
  breakRail(rail, {Symptom::kPoll, 0, why});
  for (unsigned p = 0; p < set_.lines().size(); p++)
    if (set_.lines()[p]->localRail == rail) care_[p].stopped = care_[p].sendDrained = care_[p].receiveDrained = true;
}

void Comm::stopBroken(bool receives) {
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    PathCare& care = care_[p];
    if (care.phase != PathCare::Phase::kBroken || care.stopped) continue;
    care.stopped = true;
    const PathSet::Line& line = *set_.lines()[p];
    const int error = set_.lines()[p]->path.stop();
    note(EventKind::kStopped, p, static_cast<uint64_t>(error));
    if (error == EIO || error == ENODEV || lost(line.localRail)) {
      care.sendDrained = care.receiveDrained = true;  // the device is gone, and with it all it could have done
    } else if (error != 0) {
      abort(Outcome::kRemoteError, Ending::kUnfenced,
            care.why + "; and it cannot be fenced: " + why("no transition to ERR", error, p));
      return;
    } else {
      postMarkers(p, receives);
      // A receive posted in ERR is flushed at once by hardware; Soft-RoCE's library rings no doorbell for receives,
      // and its kernel looks at the queue again only when the state is set again. What went wrong the first time
      // would say.
      if (receives) (void)set_.lines()[p]->path.stop();
    }
  }
}

// In ERR a queue gives its work back in the order posted, so the marker comes last.
void Comm::postMarkers(unsigned path, bool receives) {
  const PathSet::Line& line = *set_.lines()[path];
  PathCare& care = care_[path];
  // Where a queue pair in ERR takes no work, none is owed: what it sent before counts only by the peer's answer.
  care.sendDrained = !writeNothing(path, Work::kSendMarker);
  care.receiveDrained = true;
  if (!receives) return;
  ibv_recv_wr receive{};
  ibv_recv_wr* badReceive;
  receive.wr_id = WorkId::of(Work::kReceiveMarker, path, line.incarnation).bits;
  const int error = postRecv(line.path.queuePair(), &receive, &badReceive);
  care.receiveDrained = false;
  if (error != 0)
    abort(Outcome::kRemoteError, Ending::kUnfenced,
          care.why + "; and it cannot be fenced: " + why("no marker", error, path));
}

bool Comm::allDrained(uint32_t paths, bool receives) const {
  for (uint32_t rest = paths; rest; rest &= rest - 1) {
    const PathCare& care = care_[static_cast<unsigned>(std::countr_zero(rest))];
    if (!care.stopped || !care.sendDrained || (receives && !care.receiveDrained)) return false;
  }
  return true;
}

void Comm::watch(int64_t now) {
  const int64_t patience = set_.options().times.watchdog - 2 * set_.options().times.watchdog / kWatchGrain;
  for (unsigned r = 0; r < localRails().size(); r++) {
    const RailHealth* health = localRails()[r].health;
    if (!health) continue;
    const uint32_t downs = health->downs.load(std::memory_order_acquire);
    if (downs != seen_[r].downs)
      breakRail(r, {Symptom::kPortDown, 0, localRails()[r].info.name + ": the port went down"});
    seen_[r].downs = downs;
    if (lost(r))
      breakRail(r, {Symptom::kDeviceLost, 0, localRails()[r].info.name + ": the NIC reported a fatal error"});
  }
  if (isSilent()) probeLive();
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    PathCare& care = care_[p];
    if (!(care.owes || care.probing) || care.completions != care.seen || !(live_ >> p & 1)) care.progress = now;
    care.seen = care.completions;
    if (now - care.progress < patience) continue;
    care.stuck++;
    breakPath(p, {Symptom::kWatchdog, 0,
                  nameOf(p) + ": nothing posted has completed for " +
                      std::to_string((now - care.progress) / 1'000'000) + " ms (POLYRAIL_WATCHDOG)"});
  }
}

void Comm::probeLive() {
  for (unsigned p = 0; p < set_.lines().size(); p++)
    if ((live_ >> p & 1) && !care_[p].probing) care_[p].probing = writeNothing(p, Work::kProbe);
}

void Comm::watchRepairs(int64_t now) {
  const int64_t limit = set_.options().times.noPath;
  for (unsigned p = 0; p < set_.lines().size() && outcome_ == Outcome::kOk; p++) {
    const PathCare& care = care_[p];
    if (care.phase != PathCare::Phase::kBroken || now - care.brokenSince <= limit) continue;
    const bool drained = care.stopped && care.sendDrained && care.receiveDrained;
    abort(Outcome::kRemoteError, drained ? Ending::kSilent : Ending::kUnfenced,
          nameOf(p) + ": the repair has come to no end for " + std::to_string(limit / 1'000'000) +
              " ms (POLYRAIL_NO_PATH_TIMEOUT): " +
              (drained ? "the peer does not answer on the control channel"
                       : "the queue pair does not give its work back"));
  }
}

void Comm::watchNoPath(int64_t now) {
  watchRepairs(now);
  if (live_ != 0) noPathSince_ = 0;
  if (live_ != 0 || outcome_ != Outcome::kOk) return;
  if (noPathSince_ == 0) noPathSince_ = now;
  const int64_t limit = set_.options().times.noPath;
  if (now - noPathSince_ < limit) return;
  const std::string why = "no path to the peer for " + std::to_string(limit / 1'000'000) +
                          " ms (POLYRAIL_NO_PATH_TIMEOUT)" +
                          (isSilent() ? ", and its control channel has timed out" : "");
  if (set_.options().failover) say(encode(Abort{why + "; first: " + care_[0].first.text}));
  fail(Outcome::kRemoteError, Ending::kNoPath, why);
}

void Comm::misplaced(const Frame& frame) {
  abort(Outcome::kRemoteError, Ending::kProtocol,
        "the peer sent a message of type " + std::to_string(static_cast<int>(frame.type)) +
            " where none of that type may come");
}

bool Comm::writeNothing(unsigned path, Work kind) {
  const PathSet::Line& line = *set_.lines()[path];
  ibv_send_wr wr{};
  ibv_send_wr* bad;
  wr.wr_id = WorkId::of(kind, path, line.incarnation).bits;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma = {line.remoteMailbox.address, line.remoteMailbox.rkey};
  return postSend(line.path.queuePair(), &wr, &bad) == 0;
}

}  // namespace polyrail::net
