// SPDX-License-Identifier: Apache-2.0
// What a comm knows of its own end, for the report.
#include <algorithm>

#include "net/data/recv_control.h"
#include "net/data/send_comm.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

RailEvidence evidenceOf(const LocalRail& rail) {
  RailEvidence e;
  e.name = rail.info.name;
  e.device = rail.info.name.substr(0, rail.info.name.rfind(':'));
  e.port = rail.port;
  e.gidIndex = rail.gidIndex;
  e.lid = rail.info.lid;
  e.gid = text(rail.info.gid);
  e.lost = rail.health && rail.health->lost.load(std::memory_order_acquire);
  return e;
}

constexpr size_t kEvents = 8;

PastEvent pastEvent(const EventRecord& event, int64_t now, const PathSet& set) {
  PastEvent past{now - event.time, nameOf(event.kind)};
  if (event.path < set.lines().size()) {
    const PathSet::Line& line = *set.lines()[event.path];
    past.text += " " + set.options().rails[line.localRail].info.name + " - " + line.remote.name;
  }
  if (event.value != 0) past.text += " (" + std::to_string(event.value) + ")";
  return past;
}

void addOnce(std::vector<int>* ranks, int rank) {
  if (std::find(ranks->begin(), ranks->end(), rank) == ranks->end()) ranks->push_back(rank);
}

}  // namespace

Evidence Comm::commonEvidence() const {
  Evidence e;
  e.ending = ending_;
  e.why = error_;
  for (const PathSet::Rail& rail : set_.rails()) e.rails.push_back(evidenceOf(rail.local));
  for (unsigned p = 0; p < set_.lines().size(); p++) {
    const PathSet::Line& line = *set_.lines()[p];
    PathEvidence path{line.localRail,       line.remote.name,      text(line.remote.gid), line.path.number(),
                      line.remoteQueuePair, (live_ >> p & 1) != 0, care_[p].first,        {}};
    if (care_[p].why != care_[p].first.text) path.latest = care_[p].why;
    e.paths.push_back(std::move(path));
  }
  for (const EventRecord& event : recorder_.last(kEvents))
    e.events.push_back(pastEvent(event, set_.options().clock->nowNs(), set_));
  return e;
}

// A send carries the rank whose data it is (src/transport/net.cc, 2.30.7: tpRank, and tpRemoteRank at the receiver).
Evidence SendComm::evidence() const {
  Evidence e = commonEvidence();
  e.sends = true;
  for (unsigned i = 0; i < kSlots * kGroup; i++) {
    const Slot& slot = slots_[i / kGroup];
    if (slot.number != 0 && entries_[i].slot == slot.number) addOnce(&e.ranks, entries_[i].grant.userTag);
  }
  return e;
}

Evidence RecvComm::evidence() const {
  Evidence e = commonEvidence();
  for (uint64_t number = oldest(); number < next_; number++)
    for (unsigned r = 0; r < slots_[number % kSlots].requests; r++)
      addOnce(&e.ranks, control().grant[number % kSlots].line[r].userTag);
  return e;
}

}  // namespace polyrail::net
