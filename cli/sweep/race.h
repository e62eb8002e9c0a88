// SPDX-License-Identifier: Apache-2.0
// Which run comes next, so that a part of the grid tells what all of it would: a race of arms at every size.
// Round 1 runs every arm at every third or so size. From then on an arm runs only where it may still be the best: not
// beaten by more than the measured noise allows, and among so many of the fastest that the budget holds: fewer each
// round. Sizes in between are judged on a line through the measured ones; an arm that turns out best at the border of
// where it ran is carried on beyond it, which is how crossovers are found. NCCL's default, arm 0, runs at all sizes
// before the first round and at the end of each, so that it is what drift shows on. Pure logic, no processes, no
// clock: the same answers in the same order give the same questions, which is what makes a killed sweep go on where
// it was. One owner, one thread.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "cli/sweep/cells.h"

namespace polyrail::sweep {

// One run of the benchmark: sizes first, first + stride, ... up to last of one arm.
struct Batch {
  size_t round = 0;  // 0: the default before everything
  size_t arm = 0;
  size_t first = 0, last = 0, stride = 1;  // indices of sizes; last is one of them
  size_t count() const { return (last - first) / stride + 1; }
  bool operator==(const Batch&) const = default;
};

struct RaceOptions {
  size_t repeats = 5;   // runs that an arm gets where it stays in the race
  size_t attempts = 2;  // failed runs in a row that end an arm
  double budget = 0.4;  // share of the grid that is to be enough
  bool full = false;    // no race: every arm at every size, `repeats` times
};

// Times at one size, those of the arms other than the default, which has to be measured anyway.
struct Coverage {
  size_t measured = 0, grid = 0;  // the grid: arms x sizes x repeats
  double share() const { return grid ? static_cast<double>(measured) / static_cast<double>(grid) : 0; }
};

class Race {
 public:
  // `arms` counts the default, arm 0. REQUIRES: arms > 0, sizes > 0, repeats > 0
  Race(size_t arms, size_t sizes, const RaceOptions& options);

  // The run to do now; the same until take() or fail() answers it. Nothing: the race is over.
  std::optional<Batch> next();
  // A time for each of the batch's sizes, in their order. REQUIRES: answers next(); times.size() == count()
  void take(const std::vector<Sample>& times);
  // It gave nothing that counts. An arm is out after `attempts` in a row, the default never: when that fails so
  // often, the race is over, because there is nothing to compare with.
  void fail();

  size_t round() const { return round_; }
  size_t rounds() const { return options_.repeats; }  // more only where crossovers are followed
  bool isOut(size_t arm) const { return failures_[arm] >= options_.attempts; }
  // Runs that are still to come, if the field shrinks as it may; for an estimate of the time left.
  double runsLeft() const;
  Coverage coverage() const;
  const Cells& cells() const { return cells_; }
  // The arm with the least time at this size among those measured there most; 0 where only the default is.
  size_t best(size_t size) const;

 private:
  void planRound();
  void planAnchors();
  void planSpans();
  void judge(size_t size);
  void follow(size_t size);
  size_t fieldSize() const;
  bool wants(size_t arm, size_t size) const;
  void addAll(size_t round, size_t arm);
  bool& alive(size_t arm, size_t size) { return alive_[arm * sizes_ + size]; }
  bool alive(size_t arm, size_t size) const { return alive_[arm * sizes_ + size]; }

  size_t arms_, sizes_;
  RaceOptions options_;
  Cells cells_;
  std::deque<bool> alive_;
  std::vector<size_t> failures_;  // in a row, by arm
  std::deque<Batch> queue_;
  size_t round_ = 0, measured_ = 0;
};

}  // namespace polyrail::sweep
