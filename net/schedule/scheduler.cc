// SPDX-License-Identifier: Apache-2.0
#include "net/schedule/scheduler.h"

#include <limits>

namespace polyrail::net {
namespace {

// A path that was left out as too slow is tried again after this, and at most a sixteenth of the time.
constexpr int64_t kProbeNs = 5'000'000;
constexpr double kProbeShare = 16;
// A path of at least this share of the fastest one's rate is always welcome.
constexpr double kFast = 0.6;

}  // namespace

void Scheduler::start(std::span<const double> nominal) {
  paths_ = static_cast<unsigned>(nominal.size());
  for (unsigned p = 0; p < paths_; p++) load_[p] = PathLoad(nominal[p]);
}

// The first to finish may be one that is not worth it; the next best then is asked. The fastest is always worth it,
// so that a chunk waits only for what is under way.
int Scheduler::pick(uint64_t bytes, uint64_t backlog, uint32_t eligible, int64_t now) const {
  if (paths_ == 1) return eligible && load_[0].hasRoom(bytes) ? 0 : kNone;
  for (uint32_t left = eligible; left;) {
    double bestFinish = std::numeric_limits<double>::infinity();
    int best = kNone;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const int p = std::countr_zero(rest);
      const PathLoad& load = load_[static_cast<unsigned>(p)];
      const double finish = load.finish(bytes, now);
      if (finish < bestFinish && load.hasRoom(bytes)) bestFinish = finish, best = p;
    }
    if (best == kNone || worthIt(static_cast<unsigned>(best), bestFinish, bytes, backlog, now)) return best;
    left &= ~(1u << best);
  }
  return kNone;
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

// Receives are few, and the oldest message waits for its last chunk: a slow path may help only as long as it is done
// before all paths together have served what is under way and what waits.
bool Scheduler::worthIt(unsigned path, double finish, uint64_t bytes, uint64_t backlog, int64_t now) const {
  double rates = 0, fastest = 0, ahead = static_cast<double>(backlog);
  for (unsigned p = 0; p < paths_; p++) {
    const double rate = load_[p].rateNow(now);
    rates += rate;
    fastest = std::max(fastest, rate);
    ahead += static_cast<double>(load_[p].inFlight());
  }
  if (load_[path].rate() >= kFast * fastest) return true;
  if (finish <= ahead / rates + load_[path].latency()) return true;
  const PathLoad& l = load_[path];
  const double idle = static_cast<double>(now - l.lastEvent());
  return l.inFlight() == 0 && idle > static_cast<double>(kProbeNs) &&
         idle > kProbeShare * static_cast<double>(bytes) / l.rate();
}

}  // namespace polyrail::net
