// SPDX-License-Identifier: Apache-2.0
// What a comm shows of itself (docs/telemetry.md): read from what the hot path counts anyway, by control, now and
// then.
#include <bit>

#include "net/data/recv_control.h"
#include "net/data/send_comm.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

PathPhase shown(PathCare::Phase phase) { return static_cast<PathPhase>(static_cast<uint32_t>(phase) + 1); }
static_assert(static_cast<uint32_t>(PathCare::Phase::kLive) + 1 == static_cast<uint32_t>(PathPhase::kLive) &&
              static_cast<uint32_t>(PathCare::Phase::kProving) + 1 == static_cast<uint32_t>(PathPhase::kProving));

uint64_t perSecond(double perNs) { return static_cast<uint64_t>(perNs * 1e9); }

}  // namespace

void Comm::showPath(unsigned path, PathRecord* record) const {
  const PathSet::Line& line = *set_.lines()[path];
  const PathCare& care = care_[path];
  record->index = path;
  record->phase = shown(care.phase);
  record->rail = line.localRail;
  record->queuePair = line.path.number();
  record->incarnation = line.incarnation;
  record->mtuBytes = line.path.mtuBytes();
  putText(record->peerRail, line.remote.name);
  std::copy(line.remote.gid.begin(), line.remote.gid.end(), record->peerGid);
  record->failures = care.broken;
  record->revivals = care.revived;
  record->stuck = care.stuck;
  record->changed = care.changed;
  record->detour = path >= planned_;
  putText(record->lastCause, care.why);
}

void Comm::showComm(CommKind kind, CommView* view) const {
  CommRecord& record = view->comm;
  record.state = outcome_ == Outcome::kOk ? CommState::kOpen : CommState::kFailed;
  record.kind = kind;
  record.rails = static_cast<uint32_t>(localRails().size());
  record.paths = static_cast<uint32_t>(set_.lines().size());
  record.livePaths = static_cast<uint32_t>(std::popcount(live_));
  putText(record.error, error_);
  recorder_.copyTo(&record);
  view->paths.resize(record.paths);
  for (unsigned p = 0; p < record.paths; p++) showPath(p, &view->paths[p]);
}

void SendComm::show(CommView* view) {
  const Gate::Hold hold(gate_);
  showComm(CommKind::kSend, view);
  CommRecord& record = view->comm;
  record.requests = newest_;
  record.hasTag = newest_ > 0;
  if (newest_ > 0) record.tag = entries_[newest_ % kSlots * kGroup].grant.userTag;
  record.outstanding = 0;
  for (const Slot& slot : slots_) record.outstanding += static_cast<uint32_t>(std::popcount(slot.inUse));
  record.backlog = backlog_;
  for (unsigned p = 0; p < record.paths; p++) showTraffic(p, &view->paths[p]);
}

// Until a sample there is no rate, only a guess; with one path the scheduler has nothing to measure.
void SendComm::showTraffic(unsigned path, PathRecord* record) {
  const PathState& s = paths_[path];
  const PathLoad& load = scheduler_.load(path);
  const PathSamples& samples = samples_[path];
  record->bytes = s.bytes;
  record->chunks += s.completions - static_cast<uint32_t>(record->chunks);
  record->posted = idleQueue() - s.queueFree;
  record->inFlight = several_ ? static_cast<uint64_t>(std::max<int64_t>(load.inFlight(), 0)) : 0;
  record->rate = samples.count() == 0 ? 0 : perSecond(several_ ? load.rate() : samples.rate());
  record->latencyNs = static_cast<uint64_t>(samples.latency());
  record->latency = samples.histogram();
}

void RecvComm::show(CommView* view) {
  const Gate::Hold hold(gate_);
  showComm(CommKind::kReceive, view);
  CommRecord& record = view->comm;
  record.requests = next_ - 1;
  record.hasTag = next_ > 1;
  if (next_ > 1) record.tag = control().grant[(next_ - 1) % kSlots].line[0].userTag;
  record.outstanding = 0;
  for (unsigned i = 0; i < kSlots; i++) record.outstanding += slots_[i].busy;
  for (unsigned p = 0; p < record.paths; p++) {
    const PathState& s = paths_[p];
    view->paths[p].bytes = s.bytes;
    view->paths[p].chunks = s.arrived + s.consumed;
    view->paths[p].posted = idleQueue() - s.queueFree;
  }
}

}  // namespace polyrail::net
