// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/race.h"

#include <algorithm>
#include <cmath>

namespace polyrail::sweep {
namespace {

constexpr double kPriorScatter = 0.05;  // of one run, until repeats tell: the P5 pair of public logs has some 5 %
constexpr double kSlack = 0.02;         // what is not worth telling apart; the learner's least gain
constexpr double kKept = 1.4;           // arms a size and round that the budget is to last for
constexpr double kSure = 2;             // standard deviations of a difference

// Distance of the first round's sizes; short sweeps have fewer to leave out.
size_t strideFor(size_t sizes) { return sizes < 5 ? 1 : sizes < 9 ? 2 : 3; }

}  // namespace

Race::Race(size_t arms, size_t sizes, const RaceOptions& options)
    : arms_(arms),
      sizes_(sizes),
      options_(options),
      cells_(arms, sizes),
      alive_(arms * sizes, true),
      failures_(arms, 0) {
  addAll(0, 0);
}

void Race::addAll(size_t round, size_t arm) { queue_.push_back({round, arm, 0, sizes_ - 1, 1}); }

std::optional<Batch> Race::next() {
  if (isOut(0)) return std::nullopt;
  while (!queue_.empty() && isOut(queue_.front().arm)) queue_.pop_front();
  if (queue_.empty()) planRound();
  return queue_.empty() ? std::nullopt : std::optional<Batch>(queue_.front());
}

void Race::take(const std::vector<Sample>& times) {
  const Batch batch = queue_.front();
  queue_.pop_front();
  failures_[batch.arm] = 0;
  if (batch.arm != 0) measured_ += batch.count();
  for (size_t i = 0; i < times.size(); i++) cells_.add(batch.arm, batch.first + i * batch.stride, times[i]);
}

void Race::fail() { failures_[queue_.front().arm]++; }

// The default ends each round; so it is also what is measured last of all.
void Race::planRound() {
  round_++;
  if (options_.full) {
    if (round_ > options_.repeats) return;
    for (size_t arm = 1; arm < arms_; arm++)
      if (!isOut(arm)) addAll(round_, arm);
  } else if (round_ == 1) {
    planAnchors();
  } else {
    planSpans();
  }
  if (!queue_.empty()) addAll(round_, 0);
}

// Counted from the largest size, where time is lost; the sizes below the smallest anchor are judged by it.
void Race::planAnchors() {
  const size_t stride = strideFor(sizes_);
  for (size_t arm = 1; arm < arms_; arm++)
    if (!isOut(arm)) queue_.push_back({round_, arm, (sizes_ - 1) % stride, sizes_ - 1, stride});
}

bool Race::wants(size_t arm, size_t size) const {
  return alive(arm, size) && cells_.runs(arm, size) < options_.repeats;
}

// One run measures a span of sizes; a gap of one size is run through, as a start costs more.
void Race::planSpans() {
  if (round_ > 2 * options_.repeats) return;
  for (size_t size = 0; size < sizes_; size++) judge(size);
  for (size_t size = 0; size < sizes_; size++) follow(size);
  for (size_t arm = 1; arm < arms_; arm++) {
    if (isOut(arm)) continue;
    size_t before = queue_.size();
    for (size_t size = 0; size < sizes_; size++) {
      if (!wants(arm, size)) continue;
      if (queue_.size() > before && queue_.back().last + 2 >= size)
        queue_.back().last = size;
      else
        queue_.push_back({round_, arm, size, size, 1});
    }
  }
}

// How many arms may go on at one size, before the noise has its say. One an expected round and what crossovers may
// cost is kept back, half of the rest of the budget is spent now: early rounds have most to find out.
size_t Race::fieldSize() const {
  const Coverage spent = coverage();
  const double sizes = static_cast<double>(sizes_);
  const double left =
      (options_.budget * static_cast<double>(spent.grid) - static_cast<double>(spent.measured)) / sizes;
  const double rounds = round_ > options_.repeats ? 1 : static_cast<double>(options_.repeats + 2 - round_);
  return static_cast<size_t>(std::max(1 + (left - kKept * rounds) / 2, 1.0));
}

// An arm that was dropped comes back when those before it have turned out slower than they seemed.
void Race::judge(size_t size) {
  std::vector<std::pair<double, size_t>> field;  // estimate, arm
  double best = cells_.estimate(0, size);
  for (size_t arm = 1; arm < arms_; arm++) {
    const double t = isOut(arm) ? NAN : cells_.estimate(arm, size);
    if (!std::isnan(t)) field.emplace_back(t, arm);
    alive(arm, size) = false;
    best = std::fmin(best, t);
  }
  std::sort(field.begin(), field.end());
  const double scatter = cells_.scatter(size, kPriorScatter);
  for (size_t i = 0; i < std::min(field.size(), fieldSize()); i++) {
    const double runs = static_cast<double>(std::max<size_t>(cells_.runs(field[i].second, size), 1));
    alive(field[i].second, size) = field[i].first <= best + kSlack + kSure * scatter * std::sqrt(2 / runs);
  }
}

// An arm that is best here has a neighbour to conquer where it has not run.
void Race::follow(size_t size) {
  const size_t arm = best(size);
  if (arm == 0) return;
  if (size > 0 && cells_.runs(arm, size - 1) == 0) alive(arm, size - 1) = true;
  if (size + 1 < sizes_ && cells_.runs(arm, size + 1) == 0) alive(arm, size + 1) = true;
}

size_t Race::best(size_t size) const {
  size_t most = 0, best = 0;
  for (size_t arm = 1; arm < arms_; arm++) most = std::max(most, isOut(arm) ? 0 : cells_.runs(arm, size));
  double least = cells_.runs(0, size) > 0 ? cells_.estimate(0, size) : HUGE_VAL;
  for (size_t arm = 1; arm < arms_; arm++) {
    if (isOut(arm) || most == 0 || cells_.runs(arm, size) < most) continue;
    if (const double t = cells_.estimate(arm, size); t < least) least = t, best = arm;
  }
  return best;
}

double Race::runsLeft() const {
  double left = static_cast<double>(queue_.size()), field = static_cast<double>(arms_ - 1);
  for (size_t round = 1; round <= options_.repeats; round++) {
    if (round > round_) left += field + 1;
    if (!options_.full && round > 1) field = std::max(field * 0.6, 2.0);
  }
  return left;
}

Coverage Race::coverage() const { return {measured_, (arms_ - 1) * sizes_ * options_.repeats}; }

}  // namespace polyrail::sweep
