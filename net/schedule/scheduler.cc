// SPDX-License-Identifier: Apache-2.0
#include "net/schedule/scheduler.h"

#include <limits>

namespace polyrail::net {
namespace {

// A path that was left out as too slow is tried again after this, and at most a sixteenth of the time.
constexpr int64_t kProbeNs = 5'000'000;
constexpr double kProbeShare = 16;

}  // namespace

void Scheduler::start(std::span<const double> nominal) {
  paths_ = static_cast<unsigned>(nominal.size());
  for (unsigned p = 0; p < paths_; p++) load_[p] = PathLoad(nominal[p]);
}

int Scheduler::pick(uint64_t bytes, uint64_t backlog, uint32_t eligible, int64_t now) const {
  if (paths_ == 1) return eligible && load_[0].hasRoom(bytes) ? 0 : kNone;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double bestFinish = kNever, soonest = kNever;
  int best = kNone;
  for (unsigned p = 0; p < paths_; p++) {
    const bool open = eligible >> p & 1;
    if (!open && load_[p].inFlight() == 0) continue;  // stopped, or nothing will come of it
    const double finish = load_[p].finish(bytes, now);
    soonest = std::min(soonest, finish);
    if (!open || finish >= bestFinish || !load_[p].hasRoom(bytes)) continue;
    bestFinish = finish;
    best = static_cast<int>(p);
  }
  if (best == kNone || bestFinish <= soonest) return best;
  return worthIt(static_cast<unsigned>(best), bestFinish, bytes, backlog, now) ? best : kNone;
}

int Scheduler::soonest(uint64_t bytes, uint32_t eligible, int64_t now) const {
  int best = kNone;
  double bestFinish = std::numeric_limits<double>::infinity();
  for (uint32_t rest = eligible; rest; rest &= rest - 1) {
    const int p = std::countr_zero(rest);
    const double finish = load_[static_cast<unsigned>(p)].finish(bytes, now);
    if (finish < bestFinish) bestFinish = finish, best = p;
  }
  return best;
}

// A faster path is full and would still finish the chunk earlier. The slower one may help as long as it is done
// before the faster ones have served all that waits.
bool Scheduler::worthIt(unsigned path, double finish, uint64_t bytes, uint64_t backlog, int64_t now) const {
  double rates = 0, ahead = static_cast<double>(backlog);
  for (unsigned p = 0; p < paths_; p++) {
    rates += load_[p].rate();
    ahead += static_cast<double>(load_[p].inFlight());
  }
  if (finish <= ahead / rates + load_[path].latency()) return true;
  const PathLoad& l = load_[path];
  const double idle = static_cast<double>(now - l.lastEvent());
  return l.inFlight() == 0 && idle > static_cast<double>(kProbeNs) &&
         idle > kProbeShare * static_cast<double>(bytes) / l.rate();
}

}  // namespace polyrail::net
