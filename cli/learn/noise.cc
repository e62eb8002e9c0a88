// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/learn/moderation.h"
#include "cli/learn/prior_noise.h"
#include "cli/learn/statistics.h"

namespace polyrail::cli {
namespace {

// Sizes to either side that lend their noise: it changes slowly with size.
constexpr size_t kWindow = 2;
// What is expected beforehand weighs as much as this many runs, so that few runs do not claim thin tails.
constexpr size_t kPriorWeight = 12;
constexpr double kCentral = 0.6827;  // share within one standard deviation

// Of every run of a series from its median. The factor undoes that runs lie closer to their own median than to the
// truth; it is exact for two runs and on the safe side for more.
std::vector<Times> deviations(const Series& series, size_t sizes) {
  std::vector<Times> result(series.runs.size(), Times(sizes, {kNoTime, kNoTime}));
  for (size_t s = 0; s < sizes; s++)
    for (size_t p = 0; p < kPlacements; p++) {
      std::vector<double> all = timesAt(series, s, p);
      if (all.size() < 2) continue;
      const double n = static_cast<double>(all.size()), middle = median(all);
      for (size_t r = 0; r < series.runs.size(); r++)
        result[r][s][p] = (series.runs[r][s][p] - middle) * std::sqrt(n / (n - 1));
    }
  return result;
}

double mean(const std::array<double, kPlacements>& cell) {
  return std::isnan(cell[0]) ? cell[1] : std::isnan(cell[1]) ? cell[0] : (cell[0] + cell[1]) / 2;
}

// Robust standard deviation around a size and its neighbours; NaN without runs.
double spreadAround(const std::vector<Times>& runs, size_t size) {
  std::vector<double> all;
  for (const Times& run : runs)
    for (size_t s = size - std::min(size, kWindow); s < std::min(run.size(), size + kWindow + 1); s++)
      if (const double d = mean(run[s]); !std::isnan(d)) all.push_back(std::abs(d));
  return quantile(all, kCentral);
}

// The central spread of single runs at a size; `bank` holds them end to end, `stride` numbers each.
double spreadOf(const std::vector<float>& bank, size_t stride, size_t size) {
  std::vector<double> all;
  for (size_t at = kPlacements * size; at < bank.size(); at += stride)
    all.push_back(std::abs(static_cast<double>(bank[at] + bank[at + 1])) / 2);
  return quantile(all, kCentral);
}

// Shifted by `move` - kWindow sizes, the ends repeated; one placement stands in for the other where only one is
// there.
void copyMoved(const Times& run, ptrdiff_t move, Deviation& into) {
  const auto last = static_cast<ptrdiff_t>(run.size()) - 1;
  for (size_t s = 0; s < run.size(); s++) {
    const ptrdiff_t from =
        std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(s + static_cast<size_t>(move)) - ptrdiff_t{kWindow}, 0, last);
    const auto& cell = run[static_cast<size_t>(from)];
    for (size_t p = 0; p < kPlacements; p++)
      into[kPlacements * s + p] = static_cast<float>(std::isnan(cell[p]) ? cell[1 - p] : cell[p]);
  }
}

void appendMedian(const std::vector<Deviation>& draws, std::vector<double>& scratch, std::vector<float>& bank) {
  for (size_t i = 0; i < draws[0].size(); i++) {
    scratch.clear();
    for (const Deviation& d : draws) scratch.push_back(static_cast<double>(d[i]));
    bank.push_back(static_cast<float>(median(scratch)));
  }
}

}  // namespace

Noise::Noise(const Sweep& sweep) : sweep_(sweep) {
  std::vector<std::vector<Times>> own;
  for (const Series& series : sweep.series) {
    const bool copy = sweep.defaultRebuilt && !series.arm;  // its runs are another series'
    own.push_back(copy || series.runs.size() < 2 ? std::vector<Times>() : deviations(series, sweep.sizes.size()));
    pool_.insert(pool_.end(), own.back().begin(), own.back().end());
  }
  for (size_t s = 0; s < sweep.sizes.size(); s++)
    spreads_.push_back(spreadOf(medians(1), kPlacements * sweep.sizes.size(), s));
  scales_.assign(own.size(), std::vector<double>(sweep.sizes.size()));
  for (size_t s = 0; s < sweep.sizes.size(); s++) scaleAt(s, own);
}

void Noise::scaleAt(size_t size, const std::vector<std::vector<Times>>& own) {
  const double common = spreadAround(pool_, size);
  std::vector<OwnSpread> spreads;
  for (const std::vector<Times>& runs : own)
    spreads.push_back({spreadAround(runs, size) / common, static_cast<double>(runs.size()) - 1});
  const std::vector<double> ratios = moderate(spreads);
  for (size_t i = 0; i < own.size(); i++) scales_[i][size] = ratios[i];
}

// A run of the pool, moved by up to kWindow sizes; what it did not measure is as expected beforehand.
Deviation Noise::draw(Random& random) const {
  const size_t pick = random.below(pool_.size() + kPriorWeight), sizes = sweep_.sizes.size();
  Deviation d(kPlacements * sizes, std::numeric_limits<float>::quiet_NaN());
  if (pick < pool_.size()) copyMoved(pool_[pick], static_cast<ptrdiff_t>(random.below(2 * kWindow + 1)), d);
  if (std::none_of(d.begin(), d.end(), [](float v) { return std::isnan(v); })) return d;
  PriorRun prior(random);
  for (size_t i = 0; i < d.size(); i++)
    if (std::isnan(d[i])) d[i] = static_cast<float>(prior.deviation(sweep_.totalBytes(i / kPlacements)));
  return d;
}

const std::vector<float>& Noise::medians(size_t runs) {
  std::vector<float>& bank = banks_[runs];
  if (!bank.empty()) return bank;
  Random random(runs);  // fixed: the same data give the same policy
  std::vector<Deviation> draws(runs);
  std::vector<double> scratch;
  bank.reserve(kBankSize * kPlacements * sweep_.sizes.size());
  for (size_t i = 0; i < kBankSize; i++) {
    for (Deviation& d : draws) d = draw(random);
    appendMedian(draws, scratch, bank);
  }
  return bank;
}

}  // namespace polyrail::cli
