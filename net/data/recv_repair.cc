// SPDX-License-Identifier: Apache-2.0
// The receiver's part of a repair (docs/wire-protocol.md, chapter 5): it fences what the sender names, says what has
// arrived, and grants again on a path that is left. And of fail-back: its end of a new queue pair.
#include <algorithm>
#include <bit>

#include "net/data/recv_control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kPoll = 500'000;  // ns, while a flush or a first WRITE is awaited

}  // namespace

int64_t RecvComm::serve(int64_t now) {
  const Gate::Hold hold(gate_);
  if (failed() || !joined_ || !set_.options().failover) return kNever;
  bool owes = answerDue_;
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    care_[p].owes = paths_[p].queueFree != idleQueue();
    owes |= care_[p].owes || care_[p].phase != PathCare::Phase::kLive;
  }
  if (owes) progress();
  for (unsigned p = 0; p < set_.lines().size(); p++) care_[p].completions = paths_[p].completions;
  watch(now);
  tellDown();
  if (!set_.options().unfenced) stopBroken(true);
  if (answerDue_ && allFenced()) answer();
  goLive(now);
  set_.sweep(now);
  watchNoPath(now);
  return due(now);
}

void RecvComm::hear(const Frame& frame, std::span<const uint8_t> body, int64_t now) {
  const Gate::Hold hold(gate_);
  if (failed()) return;
  const auto take = [&](auto message, auto&& act) {
    if (message.ok()) return act(message.value());
    abort(Outcome::kRemoteError, Ending::kProtocol, "the peer sent a " + message.message());
  };
  switch (frame.type) {
    case MessageType::kFence: return take(decodeFence(body, frame.epoch), [&](auto& m) { onFence(m); });
    case MessageType::kMake: return take(decodeNewPath(body), [&](auto& m) { onMake(m, now); });
    case MessageType::kProve: return take(decodeProve(body), [&](auto& m) { onProve(m); });
    case MessageType::kAbort: return take(decodeAbort(body), [&](auto& m) { onAbort(m); });
    default: misplaced(frame);
  }
}

// The sender alone repairs.
void RecvComm::tellDown() {
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    PathCare& care = care_[p];
    if (care.phase == PathCare::Phase::kBroken && !care.told) say(encode(PathDown{named(p), care.why}));
    care.told |= care.phase == PathCare::Phase::kBroken;
  }
}

// Repeating it changes nothing: what is fenced already stays so, and the answer is given again.
void RecvComm::onFence(const Fence& m) {
  if (m.epoch < epoch_) return;
  epoch_ = m.epoch;
  note(EventKind::kFence, kNoPathOfEvent, m.epoch);
  fencing_ = 0;
  for (const PathName& name : m.paths) {
    if (name.path >= set_.lines().size())
      return void(abort(Outcome::kRemoteError, Ending::kProtocol, "the peer wants a path fenced that there is not"));
    if (!means(name)) continue;  // an older queue pair, long in ERR
    fencing_ |= 1u << name.path;
    breakPath(name.path, {Symptom::kPeer, 0, nameOf(name.path) + ": the sender has given it up"});
    care_[name.path].told = true;
  }
  answerDue_ = true;
}

bool RecvComm::allFenced() const {
  if (set_.options().unfenced) return true;
  for (uint32_t rest = fencing_; rest; rest &= rest - 1) {
    const unsigned path = static_cast<unsigned>(std::countr_zero(rest));
    if (care_[path].phase != PathCare::Phase::kFenced && !allDrained(1u << path, true)) return false;
  }
  return true;
}

void RecvComm::answer() {
  answerDue_ = false;
  for (uint32_t rest = fencing_; rest; rest &= rest - 1) {
    const unsigned path = static_cast<unsigned>(std::countr_zero(rest));
    care_[path].phase = PathCare::Phase::kFenced;
    paths_[path].incarnation = 0;
    paths_[path].queueFree = static_cast<uint16_t>(idleQueue());
    if (via_) forgetUnflushed(path);
  }
  if (!(live_ >> grantPath_ & 1)) moveGrants(live_ ? static_cast<unsigned>(std::countr_zero(live_)) : kNoPath);
  note(EventKind::kFenced, kNoPathOfEvent, epoch_);
  Fenced m{epoch_, saidGrantPath(), {}};
  for (uint64_t number = oldest(); number < next_; number++) m.slots.push_back(arrivedOf(slots_[number % kSlots]));
  say(encode(m));
}

Fenced::Slot RecvComm::arrivedOf(const Slot& slot) {
  Fenced::Slot out{slot.number, {}};
  for (unsigned r = 0; r < slot.requests; r++) {
    const Receive& receive = slot.receive[r];
    out.requests.push_back({receive.chunks != 0 && receive.count == receive.chunks, receive.arrived});
  }
  return out;
}

// What that NIC wrote into GPU memory may be on its way there still, and nobody can flush it now.
void RecvComm::forgetUnflushed(unsigned path) {
  for (uint64_t number = oldest(); number < next_; number++) {
    Slot& slot = slots_[number % kSlots];
    for (unsigned r = 0; slot.busy && r < slot.requests; r++) {
      Receive& receive = slot.receive[r];
      if (!receive.device || (receive.chunks != 0 && receive.count == receive.chunks)) continue;
      for (unsigned c = 0; c < kMaxChunks; c++) {
        if (!(receive.arrived[c / 64] >> c % 64 & 1) || via(slot, r)[c] != path) continue;
        receive.arrived[c / 64] &= ~(uint64_t{1} << c % 64);
        receive.count--;
      }
    }
  }
}

// What is not done is granted again, because the old ring is read no more.
void RecvComm::moveGrants(unsigned path) {
  grantPath_ = path;
  note(EventKind::kGrants, path);
  creditUnderWay_ = false;
  if (path == kNoPath) return;
  startGrants();
  regrant_ = oldest();
  creditWanted_ = true;
  regrant();
}

void RecvComm::regrant() {
  if (!(live_ >> grantPath_ & 1)) return;
  for (; regrant_ < next_ && paths_[grantPath_].queueFree > 0; regrant_++) {
    const Slot& slot = slots_[regrant_ % kSlots];
    if (slot.left > 0) refreshKeys(slot);
    if (slot.left > 0 && !writeGrant(slot, control().grant[regrant_ % kSlots])) return;
  }
  if (regrant_ == next_) regrant_ = UINT64_MAX;
}

// A sibling's rail may have got keys since.
void RecvComm::refreshKeys(const Slot& slot) {
  GrantEntry& entry = control().grant[slot.number % kSlots];
  for (unsigned r = 0; r < slot.requests; r++) {
    const MemoryKeys& keys = *slot.receive[r].keys;
    entry.line[r].rails = keys.rails;
    std::copy(keys.rkey.begin(), keys.rkey.end(), entry.line[r].rkey);
  }
}

Status RecvComm::makeEnd(const NewPath& m, int64_t now) {
  const unsigned path = m.path.path, rail = m.end.receiverRail;
  Status s = set_.aim(path, {m.end.senderRail, m.end.receiverRail}, m.rail);
  if (s.ok()) s = renew(path, m.path.incarnation, now + set_.options().times.packetLifetime);
  if (s.ok() && set_.options().flush && !flusher_.prepared(rail)) s = flusher_.prepare(set_, rail);
  if (s.ok()) s = set_.joinAnew(path, m.rail, m.end);
  if (!s.ok()) return s;
  startPath(path);
  return postReceives(path, kReceives / kReceiveBatch);
}

void RecvComm::onMake(const NewPath& m, int64_t now) {
  const unsigned path = m.path.path;
  if (path > set_.lines().size())
    return void(abort(Outcome::kRemoteError, Ending::kProtocol, "the peer makes a path that there is not"));
  PathCare& care = care_[path];
  if (path == set_.lines().size()) care.phase = PathCare::Phase::kFenced;  // a detour
  if (means(m.path) || care.phase == PathCare::Phase::kLive || care.phase == PathCare::Phase::kBroken) return;
  // What an earlier try had made is kept in ERR, like all that is kept.
  if (care.phase != PathCare::Phase::kFenced) (void)set_.lines()[path]->path.stop();
  if (const Status s = makeEnd(m, now); !s.ok()) {
    care.phase = PathCare::Phase::kFenced;
    return say(encode(PathDown{m.path, s.message()}));
  }
  care.phase = PathCare::Phase::kMaking;
  care.proven = false;
  note(EventKind::kMade, path, queuePair(path));
  const PathSet::Line& line = *set_.lines()[path];
  say(encodeMade({m.path, set_.rails()[line.localRail].local.info, describe(path)}));
}

// The sender then tries another pair of rails.
void RecvComm::memoryIs(unsigned rail, const Status& status) {
  const Gate::Hold hold(gate_);
  if (takeMemory(rail, status)) return;
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    if (set_.lines()[p]->localRail != rail) continue;
    if (care_[p].phase == PathCare::Phase::kProving) breakPath(p, {Symptom::kUnavailable, 0, status.message()});
    if (care_[p].phase != PathCare::Phase::kMaking) continue;
    (void)set_.lines()[p]->path.stop();
    care_[p].phase = PathCare::Phase::kFenced;
    say(encode(PathDown{named(p), status.message()}));
  }
}

void RecvComm::onProve(const Prove& m) {
  const unsigned path = m.path.path;
  if (!means(m.path) || care_[path].phase != PathCare::Phase::kMaking) return;
  care_[path].phase = PathCare::Phase::kProving;
  if (!probe(path))
    breakPath(path, {Symptom::kPost, 0, nameOf(path) + ": no work can be posted on a new queue pair"});
}

void RecvComm::goLive(int64_t now) {
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    PathCare& care = care_[p];
    if (care.phase != PathCare::Phase::kProving || !care.proven) continue;
    if (!hasMemory(set_.lines()[p]->localRail)) continue;
    care.phase = PathCare::Phase::kLive;
    care.progress = now;
    care.revived++;
    care.changed = now;
    hush(p);
    live_ |= 1u << p;
    note(EventKind::kLive, p, queuePair(p));
    report(p, true, p < planned_ ? "it is back" : "it stands in");
    if (!(live_ >> grantPath_ & 1)) moveGrants(p);
    say(encode(Live{named(p), saidGrantPath()}));
  }
}

int64_t RecvComm::due(int64_t now) const {
  if (outcome_ != Outcome::kOk) return kNever;
  bool soon = answerDue_;
  for (unsigned p = 0; p < set_.lines().size(); p++) soon |= care_[p].phase == PathCare::Phase::kProving;
  return soon ? now + kPoll : now + set_.options().times.watchdog / kWatchGrain;
}

}  // namespace polyrail::net
