// SPDX-License-Identifier: Apache-2.0
// The sender runs the repair (docs/wire-protocol.md, chapter 5): it stops broken paths, asks the receiver to fence
// them and binds anew what the answer lacks.
#include <bit>

#include "net/data/send_comm.h"

namespace polyrail::net {
namespace {

// Where grants are looked for while there is no path for them.
const GrantRing kNoGrants{};

}  // namespace

int64_t SendComm::serve(int64_t now) {
  const Gate::Hold hold(gate_);
  if (failed() || !open_ || !set_.options().failover) return kNever;
  bool owes = repair_.paths != 0 || missingHead_;
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    care_[p].owes = paths_[p].queueFree != idleQueue();
    owes |= care_[p].owes || care_[p].phase != PathCare::Phase::kLive;
  }
  now_ = now;
  if (owes) progress();
  for (unsigned p = 0; p < set_.lines().size(); p++) care_[p].completions = paths_[p].completions;
  watch(now);
  eligible_ &= live_;
  stopBroken(false);
  turnRepair(now);
  turnRevival(now);
  set_.sweep(now);
  watchNoPath(now);
  return due(now);
}

void SendComm::hear(const Frame& frame, std::span<const uint8_t> body, int64_t now) {
  const Gate::Hold hold(gate_);
  if (failed()) return;
  now_ = now;
  const auto take = [&](auto message, auto&& act) {
    if (message.ok()) return act(message.value());
    abort(Outcome::kRemoteError, Ending::kProtocol, "the peer sent a " + message.message());
  };
  switch (frame.type) {
    case MessageType::kPathDown: return take(decodePathDown(body), [&](auto& m) { onPathDown(m, now); });
    case MessageType::kFenced: return take(decodeFenced(body, frame.epoch), [&](auto& m) { onFenced(m, now); });
    case MessageType::kMade: return take(decodeNewPath(body), [&](auto& m) { onMade(m, now); });
    case MessageType::kLive: return take(decodeLive(body), [&](auto& m) { onLive(m, now); });
    case MessageType::kAbort: return take(decodeAbort(body), [&](auto& m) { onAbort(m); });
    default: misplaced(frame);
  }
}

void SendComm::lose(unsigned path, const Failure& failure) {
  if (breakPath(path, failure)) eligible_ &= ~(1u << path);
}

void SendComm::onPathDown(const PathDown& m, int64_t now) {
  if (!means(m.path)) return;
  const Failure why{Symptom::kPeer, 0, nameOf(m.path.path) + ": the peer says: " + m.why};
  if (care_[m.path.path].phase == PathCare::Phase::kMaking)
    giveUp(m.path.path, now, why);
  else
    lose(m.path.path, why);
}

// Paths that break while others are being fenced make a repair of all of them, with an epoch of its own.
void SendComm::turnRepair(int64_t) {
  uint32_t broken = 0;
  for (unsigned p = 0; p < set_.lines().size(); p++)
    if (care_[p].phase == PathCare::Phase::kBroken) broken |= 1u << p;
  if (broken & ~repair_.paths) repair_ = {repair_.paths | broken, repair_.epoch + 1, false};
  if (repair_.paths == 0 || repair_.asked || !allDrained(repair_.paths, false)) return;
  Fence fence{repair_.epoch, {}};
  for (uint32_t rest = repair_.paths; rest; rest &= rest - 1)
    fence.paths.push_back(named(static_cast<unsigned>(std::countr_zero(rest))));
  say(encode(fence));
  note(EventKind::kFence, kNoPathOfEvent, repair_.epoch);
  repair_.asked = true;
}

void SendComm::onFenced(const Fenced& m, int64_t now) {
  if (repair_.paths == 0 || !repair_.asked || m.epoch != repair_.epoch) return;
  note(EventKind::kFenced, kNoPathOfEvent, m.epoch);
  if (!settle(m)) return;
  for (uint32_t rest = repair_.paths; rest; rest &= rest - 1)
    retire(static_cast<unsigned>(std::countr_zero(rest)), now);
  repair_.paths = 0;
  takeRing(m.grantPath);
  pump();
}

// Nothing that still completes there counts any more.
void SendComm::retire(unsigned path, int64_t now) {
  paths_[path].incarnation = 0;
  paths_[path].queueFree = static_cast<uint16_t>(idleQueue());
  scheduler_.stop(path);
  care_[path].phase = PathCare::Phase::kFenced;
  ended(path);
  scheduleTry(path, now);
}

void SendComm::takeRing(unsigned path) {
  if (path != grantPath_) note(EventKind::kGrants, path);
  grantPath_ = path;
  ring_ = path < set_.lines().size() ? set_.lines()[path]->memory.as<GrantRing>() : &kNoGrants;
}

bool SendComm::settle(const Fenced& m) {
  std::array<const Fenced::Slot*, kSlots> answers{};
  for (const Fenced::Slot& slot : m.slots) answers[slot.number % kSlots] = &slot;
  missingHead_ = nullptr;
  Entry** tail = &missingHead_;
  const uint64_t first = newest_ >= kSlots ? newest_ - kSlots + 1 : 1;
  for (uint64_t number = first; number <= newest_; number++) {
    const Slot& slot = slots_[number % kSlots];
    const Fenced::Slot* answer = answers[number % kSlots];
    if (answer && answer->number != number) answer = nullptr;  // granted again: all of the older one has arrived
    if (answer && answer->requests.size() != slot.requests) return disagree(number);
    for (unsigned r = 0; r < slot.requests; r++) {
      if (slot.unused >> r & 1) continue;
      Entry& entry = entries_[number % kSlots * kGroup + r];
      const bool reported = !(slot.inUse >> r & 1);
      if (!settle(entry, answer ? &answer->requests[r] : nullptr, reported)) return false;
      if (reported || entry.missing == 0) continue;
      *tail = &entry;
      tail = &entry.nextMissing;
    }
  }
  *tail = nullptr;
  return true;
}

bool SendComm::disagree(uint64_t slot) {
  abort(Outcome::kRemoteError, Ending::kProtocol,
        "the peer's answer to FENCE does not fit its grant of slot " + std::to_string(slot));
  return false;
}

bool SendComm::settle(Entry& entry, const Fenced::Request* answer, bool reported) {
  for (unsigned chunk = 0; chunk < entry.nextChunk; chunk++) {
    const unsigned path = entry.bound[chunk] & kPathBits;
    if (path == kMissing || !(repair_.paths >> path & 1)) continue;
    const bool arrived = !answer || answer->done || (answer->arrived[chunk / 64] >> chunk % 64 & 1);
    if (!arrived && reported) {
      abort(Outcome::kRemoteError, Ending::kUnplaced,
            care_[path].why + "; a message was acknowledged that never arrived");
      return false;
    }
    settleChunk(entry, chunk, arrived);
  }
  return true;
}

// An acknowledgement that was lost is made up for; one that was untrue is taken back.
void SendComm::settleChunk(Entry& entry, unsigned chunk, bool arrived) {
  const bool completed = entry.bound[chunk] & kCompleted;
  const uint64_t length = lengthOf(entry, chunk);
  if (!completed && measures(length)) measuring_--;
  if (arrived) {
    if (!completed) entry.left--;
    entry.bound[chunk] |= kCompleted;
    return;
  }
  if (completed) entry.left++;
  entry.bound[chunk] = kMissing;
  entry.missing++;
  backlog_ += length;
}

}  // namespace polyrail::net
