// SPDX-License-Identifier: Apache-2.0
#include "net/data/comm.h"

#include <cstring>

namespace polyrail::net {

Outcome Comm::fail(Outcome outcome, Ending ending, std::string why) {
  if (outcome_ != Outcome::kOk) return outcome_;
  outcome_ = outcome;
  ending_ = ending;
  error_ = std::move(why);
  note(EventKind::kEnded, kNoPathOfEvent, static_cast<uint64_t>(outcome));
  return outcome_;
}

void Comm::loseMemory(const char* call, uint64_t slot) {
  fail(Outcome::kInvalidUsage, Ending::kMisuse,
       std::string("memory was deregistered while ") + call + " number " + std::to_string(slot) + " used it");
}

void Comm::condemn(Outcome outcome, std::string why) {
  Verdict none = Verdict::kNone;
  if (!verdict_.compare_exchange_strong(none, Verdict::kWriting, std::memory_order_acquire)) return;
  verdictOutcome_ = outcome;
  verdictText_ = std::move(why);
  verdict_.store(Verdict::kSpoken, std::memory_order_release);
}

void Comm::adopt() {
  if (outcome_ == Outcome::kOk) fail(verdictOutcome_, Ending::kLocalEvent, verdictText_);
}

Outcome Comm::waitingForNobody() {
  if (failed() || isSilent()) return outcome_;
  const int64_t now = set_.options().clock->nowNs();
  if (goneSince_ == 0) goneSince_ = now;
  if (now - goneSince_ < kGraceNs) return outcome_;
  const bool left = peer_.load(std::memory_order_relaxed) == Peer::kLeft;
  const std::string remote = set_.lines().empty() ? "the peer" : "the peer at " + text(set_.lines()[0]->remote.gid);
  return fail(Outcome::kRemoteError, left ? Ending::kPeerLeft : Ending::kPeerDied,
              remote + (left ? " closed the connection while requests were under way"
                             : " is gone: its process or its host died"));
}

std::string Comm::nameOf(unsigned path) const {
  const PathSet::Line& line = *set_.lines()[path];
  return localRails()[line.localRail].info.name + " to " + line.remote.name + " (" + text(line.remote.gid) + ")";
}

Failure Comm::why(const ibv_wc& wc, unsigned path) const {
  return {Symptom::kCompletion, wc.status,
          nameOf(path) + ": " + set_.options().verbs->wcStatusStr(wc.status) + " (status " +
              std::to_string(wc.status) + ", vendor error " + std::to_string(wc.vendor_err) + ") on queue pair " +
              std::to_string(set_.lines()[path]->path.number())};
}

std::string Comm::why(const char* what, int error, unsigned path) const {
  return nameOf(path) + ": " + what + " on queue pair " + std::to_string(set_.lines()[path]->path.number()) + ": " +
         std::strerror(error);
}

Outcome Comm::abort(Outcome outcome, Ending ending, const std::string& why) {
  if (outcome_ == Outcome::kOk && set_.options().failover) say(encode(Abort{why}));
  return fail(outcome, ending, why);
}

void Comm::takeQueues() {
  queueCount_ = 0;
  for (unsigned r = 0; r < set_.ownRails(); r++) takeQueue(r);
}

void Comm::takeQueue(unsigned rail) {
  queueRail_[queueCount_] = static_cast<uint8_t>(rail);
  queues_[queueCount_++] = set_.rails()[rail].cq;
}

}  // namespace polyrail::net
