// SPDX-License-Identifier: Apache-2.0
// Standby, the sender's part: while no path of the plan is live, a path between other rails is made, those of sibling
// NICs included; once a path of the plan is back, siblings are given back.
#include <algorithm>

#include "net/data/send_comm.h"
#include "net/path/likeness.h"

namespace polyrail::net {
namespace {

// A rail that has come back must hold so long before siblings are given back.
constexpr int64_t kHold = 1'000'000'000;

}  // namespace

// Different rails may have died at the two ends, so that no path of the plan is whole while a rail is left at each,
// or the comm's only one. All pairs are tried in turn, one at a time.
void SendComm::detour(int64_t now) {
  if (planned_ >= kMaxCommPaths) return;
  PathCare& care = care_[planned_];
  if (set_.lines().size() == planned_) care.phase = PathCare::Phase::kFenced;
  PathPlan rails;
  if (care.phase != PathCare::Phase::kFenced || now < care.nextTry || !nextDetour(&rails)) return;
  care.failures = 0;  // another pair has a name of its own
  const RailInfo& remote = set_.remoteRails()[rails.receiverRail];
  if (!set_.aim(planned_, rails, remote).ok()) return;
  nominal_[planned_] = nominalRate(localRails()[rails.senderRail].info, remote);
  note(EventKind::kDetour, planned_);
  make(planned_, now);
}

void SendComm::orderDetours() {
  std::vector<RailInfo> mine;
  for (const LocalRail& rail : localRails()) mine.push_back(rail.info);
  size_t theirOwn = 0;  // every own rail is on a path of the plan
  for (unsigned p = 0; p < planned_; p++) theirOwn = std::max<size_t>(theirOwn, set_.lines()[p]->remoteRail + 1u);
  detours_ =
      detourOrder({mine, ownRails()}, {set_.remoteRails(), theirOwn}, set_.options().subnetBits, set_.random());
}

bool SendComm::nextDetour(PathPlan* rails) {
  if (detours_.empty()) orderDetours();
  for (size_t tried = 0; tried < detours_.size(); tried++) {
    *rails = detours_[nextDetour_++ % detours_.size()];
    const auto planned = [&](const auto& line) {
      return line->localRail == rails->senderRail && line->remoteRail == rails->receiverRail;
    };
    const auto end = set_.lines().begin() + planned_;
    if (!lost(rails->senderRail) && std::find_if(set_.lines().begin(), end, planned) == end) return true;
  }
  return false;
}

// The user's memory is known on a sibling's rail only from some time on: grants that were written before lack its
// key, and are written again only when their own path has failed.
bool SendComm::reaches(Entry& entry, unsigned path) const {
  const PathState& s = paths_[path];
  if (!(entry.keys->rails >> s.localRail & 1)) return false;
  if (entry.grant.rails >> s.remoteRail & 1) return true;
  const GrantLine& again = ring_->entry[entry.slot % kSlots].line[entry.index % kGroup];
  if (loadTag(again.tag) != entry.slot || !(again.rails >> s.remoteRail & 1)) return false;
  entry.grant.rails = again.rails;
  std::copy(std::begin(again.rkey), std::end(again.rkey), entry.grant.rkey);
  return true;
}

uint32_t SendComm::reach(Entry& entry) {
  uint32_t paths = eligible_;
  for (uint32_t rest = paths & lent_; rest; rest &= rest - 1) {
    const unsigned p = static_cast<unsigned>(std::countr_zero(rest));
    if (!reaches(entry, p) || (isPaced(p) && !allowance_[p].allows(paths_[p].bytes, now_))) paths &= ~(1u << p);
  }
  return paths;
}

// A comm with one path does not keep account of what is under way; with a second one it has to.
void SendComm::countChunks(int64_t now) {
  several_ = true;
  measuring_ = 0;
  scheduler_.start({nominal_.data(), set_.lines().size()});
  forEachUnderWay([&](unsigned path, uint64_t length) {
    if (!measures(length)) return scheduler_.postSmall(path, length);
    measuring_++;
    scheduler_.post(path, length, now);
  });
}

void SendComm::borrowed(unsigned path, int64_t now) {
  const PathSet::Line& line = *set_.lines()[path];
  if (!several_) countChunks(now);
  if (line.localRail >= ownRails() || !(plannedRemote(line.remoteRail))) setLent(lent_ | 1u << path);
}

bool SendComm::plannedRemote(unsigned rail) const {
  for (unsigned p = 0; p < planned_; p++)
    if (set_.lines()[p]->remoteRail == rail) return true;
  return false;
}

// What is under way on them is awaited first, so that nothing need be sent again.
void SendComm::giveBack(int64_t now) {
  for (uint32_t rest = lent_ & live_; rest; rest &= rest - 1) {
    const unsigned path = static_cast<unsigned>(std::countr_zero(rest));
    if (!(resting_ >> path & 1) && ownHolds(now)) {
      resting_ |= 1u << path;
      eligible_ &= ~(1u << path);
    }
    if ((resting_ >> path & 1) && paths_[path].queueFree == idleQueue())
      lose(path, {Symptom::kNone, 0, nameOf(path) + ": given back, for the connection's own rail works again"});
  }
}

bool SendComm::ownHolds(int64_t now) const {
  for (unsigned p = 0; p < planned_; p++)
    if ((live_ >> p & 1) && now - care_[p].liveSince >= kHold) return true;
  return false;
}

void SendComm::ended(unsigned path) {
  setLent(lent_ & ~(1u << path));
  resting_ &= ~(1u << path);
  if (path < planned_ || planned_ > 1 || (live_ & ~1u) != 0) return;
  several_ = false;
  measuring_ = 0;
  scheduler_.start({nominal_.data(), 1});
}

void SendComm::memoryIs(unsigned rail, const Status& status) {
  const Gate::Hold hold(gate_);
  if (takeMemory(rail, status)) return;
  for (unsigned p = 0; p < set_.lines().size(); p++)
    if (set_.lines()[p]->localRail == rail &&
        (care_[p].phase == PathCare::Phase::kMaking || care_[p].phase == PathCare::Phase::kProving))
      giveUp(p, now_, {Symptom::kUnavailable, 0, status.message()});
}

}  // namespace polyrail::net
