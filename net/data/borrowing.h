// SPDX-License-Identifier: Apache-2.0
// What tells a comm that its own rail runs far below what it should (docs/standby.md), and what it remembers while it
// borrows siblings for that. Plain values of one sending comm, turned by control; times are ns, rates bytes a ns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/path/path_set.h"

namespace polyrail::net {

// What a rail did in a window of time.
struct RailPace {
  double rate = 0;      // of all comms of the process
  double commRate = 0;  // of the one that looks, over all its paths
  double owed = 0;      // bytes that it had under way on its own rail, in the mean
  bool busy = false;    // at every look some were
};

// Looks now and then, and says what was seen once a window is over.
class PaceWindow {
 public:
  static constexpr int64_t kLookNs = 60'000'000, kWindowNs = 1'000'000'000;
  static constexpr unsigned kLooks = 8;  // fewer in a window say nothing

  // Counters only grow; `owed` is of this moment.
  std::optional<RailPace> look(int64_t now, uint64_t railDone, uint64_t commDone, uint64_t owed);
  void restart() { looks_ = 0; }

 private:
  int64_t begun_ = 0, last_ = 0;
  uint64_t railDone_ = 0, commDone_ = 0;
  double owed_ = 0;
  unsigned looks_ = 0, empty_ = 0;
};

// `own`: what the rail's port and the peer's announce; `siblings`: the same of the first pair that would be borrowed.
// Far below: less than 0.4 of what so many bytes under way would do at the announced speed, or all that a link does
// that announces no more than 0.6 of its siblings' speed.
bool isFarBelow(const RailPace& pace, double own, double siblings);
// Near its nominal rate again; `loaded` is the rate of its path whenever that has work.
bool isWell(const RailPace& pace, double loaded, double own, double siblings);

struct Borrowing {
  enum class Phase : uint8_t {
    kOff,
    kTaking,  // paths over siblings are being made, one at a time
    kTrial,   // data take them; whether it helps is not known yet
    kOn,      // it helps, and has been said
  };
  // The part of a sibling's rate that all borrowers of a process may take together.
  static constexpr double kShare = 1.0 / 8;
  static constexpr double kGain = 1.2;  // what a trial has to bring
  static constexpr unsigned kWellWindows = 2;

  Phase phase = Phase::kOff;
  std::vector<PathPlan> pairs;  // to be tried
  size_t nextPair = 0;
  unsigned taken = 0;    // paths at the end of the list that were made
  RailPace before;       // as it was when it was found slow
  unsigned windows = 0;  // of a trial that told nothing or did not help; then those in a row with a rail that is well
  int64_t notBefore = 0, rest = 0;
};

// What a path over a sibling may take: so many bytes a ns, and no more than a millisecond of it saved up.
class Allowance {
 public:
  void set(double rate) { rate_ = rate; }
  bool allows(uint64_t posted, int64_t now) {
    const double may = static_cast<double>(now - since_) * rate_, used = static_cast<double>(posted - base_);
    if (may - used > kSaved * rate_) since_ = now, base_ = posted;
    return used <= may;
  }

 private:
  static constexpr double kSaved = 1e6;
  int64_t since_ = 0;
  uint64_t base_ = 0;
  double rate_ = 0;
};

}  // namespace polyrail::net
