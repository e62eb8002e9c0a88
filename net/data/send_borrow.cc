// SPDX-License-Identifier: Apache-2.0
// Borrowing (docs/standby.md): while a comm's only rail runs far below what it should, part of its chunks go over
// siblings. Their paths are made and given back as standbys are; how much they may take is limited, so that those
// whose rails they are lose little.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "net/data/send_comm.h"
#include "net/path/likeness.h"

namespace polyrail::net {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kAgain = 5 * kSecond;  // from one time to the next
// After one that did not help, doubled each time.
constexpr int64_t kFirstRest = 30 * kSecond, kLongestRest = 600 * kSecond;
constexpr unsigned kTrialWindows = 3, kQuietWindows = 10;

std::string gbps(double bytesPerNs) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", bytesPerNs * 8);
  return text;
}

bool touches(const std::vector<PathPlan>& pairs, PathPlan rails) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const PathPlan& p) {
    return p.senderRail == rails.senderRail || p.receiverRail == rails.receiverRail;
  });
}

}  // namespace

void SendComm::turnBorrowing(int64_t now) {
  if (!mayBorrow()) return;
  const std::optional<RailPace> pace = lookAtRail(now);
  if (borrowing_.phase != Borrowing::Phase::kOff && (live_ & plannedPaths()) == 0) {
    quiet_ = 0;  // from here on they stand in
    endBorrowing(now, kAgain);
  }
  if (borrowing_.phase == Borrowing::Phase::kTaking)
    takeNext(now);
  else if (pace && borrowing_.phase == Borrowing::Phase::kOff)
    judgeRail(*pace, now);
  else if (pace && borrowing_.phase == Borrowing::Phase::kTrial)
    judgeTrial(*pace, now);
  else if (pace && borrowing_.phase == Borrowing::Phase::kOn)
    judgeBorrowing(*pace, now);
  setAllowances();
}

// Tells the rails what completed on them since the last look, and looks at the comm's own.
std::optional<RailPace> SendComm::lookAtRail(int64_t now) {
  std::array<uint64_t, kMaxCommPaths> owed{};
  forEachUnderWay([&](unsigned path, uint64_t length) { owed[path] += length; });
  uint64_t owedOwn = 0;
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    const uint64_t completed = paths_[p].bytes - owed[p], more = completed - counted_[p];
    counted_[p] = completed;
    done_ += more;
    if (p < planned_) doneOwn_ += more, owedOwn += owed[p];
    if (RailUse* use = localRails()[set_.lines()[p]->localRail].use)
      use->done.fetch_add(more, std::memory_order_relaxed);
  }
  const RailUse* own = localRails()[0].use;
  return window_.look(now, own ? own->done.load(std::memory_order_relaxed) : doneOwn_, done_, owedOwn);
}

void SendComm::judgeRail(const RailPace& pace, int64_t now) {
  if (!pace.busy || now < borrowing_.notBefore || lent_ || repair_.paths || live_ != plannedPaths()) return;
  std::vector<PathPlan> pairs = pairsToBorrow();
  if (pairs.empty() || !isFarBelow(pace, ownNominal(), pairNominal(pairs[0]))) return;
  borrowing_.phase = Borrowing::Phase::kTaking;
  borrowing_.pairs = std::move(pairs);
  borrowing_.nextPair = borrowing_.taken = borrowing_.windows = 0;
  borrowing_.before = pace;
  takeNext(now);
}

// Each sibling of an end once, the likest pairs first; pairs with an own rail only where an end has no siblings.
std::vector<PathPlan> SendComm::pairsToBorrow() {
  if (detours_.empty()) orderDetours();
  std::vector<PathPlan> pairs, half;
  for (const PathPlan& rails : detours_) {
    const bool own = rails.senderRail < ownRails(), theirOwn = plannedRemote(rails.receiverRail);
    if ((own && theirOwn) || lost(rails.senderRail)) continue;
    std::vector<PathPlan>& to = own || theirOwn ? half : pairs;
    if (!touches(to, rails)) to.push_back(rails);
  }
  return pairs.empty() ? half : pairs;
}

// One at a time: the receiver counts paths as they come, and one that it cannot make leaves its number to the next.
void SendComm::takeNext(int64_t now) {
  const auto phase = [&] { return care_[planned_ + borrowing_.taken].phase; };
  const auto made = [&] { return planned_ + borrowing_.taken < set_.lines().size(); };
  while (made() && phase() == PathCare::Phase::kLive) borrowing_.taken++;
  if (made() && phase() != PathCare::Phase::kFenced) return;
  while (borrowing_.nextPair < borrowing_.pairs.size() && planned_ + borrowing_.taken < kMaxCommPaths)
    if (takePair(planned_ + borrowing_.taken, borrowing_.pairs[borrowing_.nextPair++], now)) return;
  if (borrowing_.taken == 0) return failTrial(now);
  borrowing_.phase = Borrowing::Phase::kTrial;
  window_.restart();
}

bool SendComm::takePair(unsigned path, PathPlan rails, int64_t now) {
  care_[path].phase = PathCare::Phase::kFenced;
  if (!set_.aim(path, rails, set_.remoteRails()[rails.receiverRail]).ok()) return false;
  care_[path].failures = 0;  // another pair has a name of its own
  nominal_[path] = pairNominal(rails);
  note(EventKind::kDetour, path);
  make(path, now);
  return true;
}

// All rails may be as slow: then there is nothing to be gained, and nothing is said.
void SendComm::judgeTrial(const RailPace& pace, int64_t now) {
  if ((lent_ & live_) == 0) return failTrial(now);
  if (pace.owed == 0) {
    if (++borrowing_.windows > kQuietWindows) endBorrowing(now, kAgain);
    return;
  }
  if (pace.commRate < Borrowing::kGain * borrowing_.before.commRate) {
    if (++borrowing_.windows >= kTrialWindows) failTrial(now);
    return;
  }
  borrowing_.phase = Borrowing::Phase::kOn;
  borrowing_.windows = 0;
  borrowing_.rest = 0;
  news_.push_back({0, "is slow",
                   "rail " + localRails()[0].info.name + " is slow: " + gbps(borrowing_.before.rate) + " of " +
                       gbps(ownNominal()) + " Gb/s; a connection that has only that one borrows " +
                       std::to_string(std::popcount(lent_ & live_)) + " siblings, an eighth of each at most, and " +
                       "makes " + gbps(pace.commRate) + " Gb/s of " + gbps(borrowing_.before.commRate) +
                       " (POLYRAIL_BORROW). Look at the link's speed and width (ibstat, ethtool), pauses and " +
                       "errors (ethtool -S, perfquery), here and at " + set_.lines()[0]->remote.name +
                       " of the peer"});
}

void SendComm::judgeBorrowing(const RailPace& pace, int64_t now) {
  if ((lent_ & live_) == 0) return endBorrowing(now, kAgain);
  if (pace.owed == 0) return;
  double loaded = 0;
  for (unsigned p = 0; p < planned_; p++) loaded += scheduler_.load(p).rate();
  const bool well = isWell(pace, loaded, ownNominal(), pairNominal(borrowing_.pairs[0]));
  borrowing_.windows = well ? borrowing_.windows + 1 : 0;
  if (borrowing_.windows < Borrowing::kWellWindows) return;
  news_.push_back({0, "is no longer slow",
                   "rail " + localRails()[0].info.name + " is no longer slow: " + gbps(std::max(pace.rate, loaded)) +
                       " of " + gbps(ownNominal()) + " Gb/s; its connection gives its siblings back"});
  endBorrowing(now, kAgain);
}

void SendComm::failTrial(int64_t now) {
  borrowing_.rest = std::clamp(2 * borrowing_.rest, kFirstRest, kLongestRest);
  endBorrowing(now, borrowing_.rest);
}

// What is lent is given back in the turns that follow.
void SendComm::endBorrowing(int64_t now, int64_t rest) {
  borrowing_.phase = Borrowing::Phase::kOff;
  borrowing_.notBefore = now + rest;
  window_.restart();
}

void SendComm::setAllowances() {
  const uint32_t paced = borrowing_.phase == Borrowing::Phase::kOff ? 0 : lent_ & live_;
  uint32_t rails = 0;
  for (uint32_t rest = paced; rest; rest &= rest - 1)
    rails |= 1u << paths_[static_cast<unsigned>(std::countr_zero(rest))].localRail;
  countLoans(rails);
  for (uint32_t rest = paced; rest; rest &= rest - 1) {
    const unsigned p = static_cast<unsigned>(std::countr_zero(rest));
    const RailUse* use = localRails()[paths_[p].localRail].use;
    const uint32_t borrowers = use ? use->borrowers.load(std::memory_order_relaxed) : 1;
    allowance_[p].set(nominal_[p] * Borrowing::kShare / std::max(borrowers, 1u));
  }
}

void SendComm::countLoans(uint32_t rails) {
  for (uint32_t rest = rails ^ loans_; rest; rest &= rest - 1) {
    const unsigned r = static_cast<unsigned>(std::countr_zero(rest));
    if (RailUse* use = localRails()[r].use)
      use->borrowers.fetch_add(rails >> r & 1 ? 1u : UINT32_MAX, std::memory_order_relaxed);
  }
  loans_ = rails;
}

// As the ports announce it now: a link that comes back narrower says so.
double SendComm::ownNominal() const {
  RailInfo all;
  uint32_t seen = 0;
  for (unsigned p = 0; p < planned_; p++) {
    const PathSet::Line& line = *set_.lines()[p];
    if (!(seen >> line.remoteRail & 1)) all.speedMbps += line.remote.speedMbps;
    seen |= 1u << line.remoteRail;
  }
  return nominalRate(set_.rails()[0].local.info, all);
}

double SendComm::pairNominal(PathPlan rails) const {
  return nominalRate(localRails()[rails.senderRail].info, set_.remoteRails()[rails.receiverRail]);
}

}  // namespace polyrail::net
