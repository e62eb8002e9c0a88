// SPDX-License-Identifier: Apache-2.0
// Fail-back, the sender's part: it makes a fenced path anew, again and again until it holds. A new queue pair at both
// ends, then a first WRITE each way, then data.
#include <algorithm>

#include "net/data/send_comm.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kFirstTry = 50 * kMs, kLongestWait = 2'000 * kMs;  // with up to a quarter more, by chance
constexpr int64_t kMakeTimeout = 1'000 * kMs;                        // of each step, times the tries that failed
constexpr uint32_t kMostTimeouts = 5;
constexpr int64_t kHeld = 10'000 * kMs;  // a path that has lived so long begins with a clean slate
constexpr int64_t kPoll = kMs / 2;       // while an answer or a flush is awaited
constexpr double kRamp = 0.25;           // of its nominal rate is what a path that came back is given at first

// A host that is so busy that a step takes longer would else never come to the end of one.
int64_t makeTimeout(const PathCare& care) { return kMakeTimeout * std::clamp(care.failures, 1u, kMostTimeouts); }

}  // namespace

// Doubled with each failure in a row, and never the same twice, so that many comms do not try in step.
void SendComm::scheduleTry(unsigned path, int64_t now) {
  PathCare& care = care_[path];
  const uint32_t doublings = std::min(care.failures > 0 ? care.failures - 1 : 0, 10u);
  const int64_t wait = std::min(kFirstTry << doublings, kLongestWait);
  care.nextTry = now + wait + wait / 4 * static_cast<int64_t>(set_.random() & 0xff) / 0xff;
}

void SendComm::turnRevival(int64_t now) {
  if (live_ == 0 && repair_.paths == 0) detour(now);
  turnBorrowing(now);
  if (lent_ && borrowing_.phase == Borrowing::Phase::kOff) giveBack(now);
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    PathCare& care = care_[p];
    switch (care.phase) {
      case PathCare::Phase::kLive:
        if (care.failures > 0 && now - care.liveSince > kHeld) care.failures = 0;
        break;
      case PathCare::Phase::kBroken: break;
      case PathCare::Phase::kFenced:
        if (p < planned_ && now >= care.nextTry && !lost(set_.lines()[p]->localRail)) make(p, now);
        break;
      case PathCare::Phase::kProving:
        if (care.proven && !care.told && hasMemory(set_.lines()[p]->localRail))
          say(encode(Prove{named(p)})), care.told = true;
        [[fallthrough]];
      case PathCare::Phase::kMaking:
        if (now >= care.deadline)
          giveUp(p, now, {Symptom::kNoAnswer, 0, nameOf(p) + ": no answer to a new queue pair"});
    }
  }
}

void SendComm::make(unsigned path, int64_t now) {
  PathCare& care = care_[path];
  const uint16_t before = set_.lines()[path]->incarnation;
  const uint16_t next = static_cast<uint16_t>(before == UINT16_MAX ? 1 : before + 1);
  if (const Status s = renew(path, next, now + set_.options().times.packetLifetime); !s.ok())
    return giveUp(path, now, {Symptom::kUnavailable, 0, s.message()});
  care.phase = PathCare::Phase::kMaking;
  care.deadline = now + makeTimeout(care);
  care.proven = care.told = false;
  note(EventKind::kMade, path, queuePair(path));
  const PathSet::Line& line = *set_.lines()[path];
  say(encodeMake({named(path), set_.rails()[line.localRail].local.info, set_.describe(path)}));
}

// Before the peer can have taken the path into use, nothing needs to be fenced.
void SendComm::giveUp(unsigned path, int64_t now, const Failure& failure) {
  PathCare& care = care_[path];
  if (care.phase == PathCare::Phase::kProving) return lose(path, failure);
  if (care.phase == PathCare::Phase::kMaking) (void)set_.lines()[path]->path.stop();
  care.phase = PathCare::Phase::kFenced;
  care.why = failure.text;
  care.failures++;
  note(EventKind::kGaveUp, path, care.failures);
  scheduleTry(path, now);
}

void SendComm::onMade(const NewPath& m, int64_t now) {
  const unsigned path = m.path.path;
  if (!means(m.path) || care_[path].phase != PathCare::Phase::kMaking) return;
  if (const Status s = set_.joinAnew(path, m.rail, m.end); !s.ok())
    return giveUp(path, now, {Symptom::kUnavailable, 0, s.message()});
  startPath(path, *set_.lines()[path], static_cast<uint16_t>(m.end.postedReceives), kReceives);
  care_[path].phase = PathCare::Phase::kProving;
  care_[path].deadline = now + makeTimeout(care_[path]);
  if (!probe(path)) lose(path, {Symptom::kPost, 0, nameOf(path) + ": no work can be posted on a new queue pair"});
}

void SendComm::onLive(const Live& m, int64_t now) {
  const unsigned path = m.path.path;
  if (!means(m.path) || care_[path].phase != PathCare::Phase::kProving || !care_[path].proven) return;
  care_[path].phase = PathCare::Phase::kLive;
  care_[path].liveSince = care_[path].progress = now;
  care_[path].revived++;
  care_[path].changed = now;
  hush(path);
  live_ |= 1u << path;
  note(EventKind::kLive, path, queuePair(path));
  report(path, true, path < planned_ ? "it is back" : "it stands in");
  if (path >= planned_) borrowed(path, now);
  if (isPaced(path))
    scheduler_.restart(path, nominal_[path] * Borrowing::kShare, nominal_[path] * Borrowing::kShare);
  else
    scheduler_.restart(path, nominal_[path] * kRamp);
  refreshEligible(path);
  takeRing(m.grantPath);
  pump();
}

int64_t SendComm::due(int64_t now) const {
  if (outcome_ != Outcome::kOk) return kNever;
  int64_t due = now + set_.options().times.watchdog / kWatchGrain;
  if (mayBorrow()) due = std::min(due, now + PaceWindow::kLookNs);
  if (live_ == 0) due = std::min(due, now + kFirstTry / 4);
  if (repair_.paths != 0) due = std::min(due, now + kPoll);
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    const PathCare& care = care_[p];
    if (care.phase == PathCare::Phase::kMaking || care.phase == PathCare::Phase::kProving)
      due = std::min(due, now + kPoll);
    if (care.phase == PathCare::Phase::kFenced && p < planned_ && !lost(set_.lines()[p]->localRail))
      due = std::min(due, std::max(now, care.nextTry));
  }
  return due;
}

}  // namespace polyrail::net
