// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/critical.h"

#include <algorithm>
#include <limits>

#include "cli/learn/statistic.h"

namespace polyrail::cli {
namespace {

constexpr size_t kReplicates = 2000;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Where to draw from at each size; nullptr where there is nothing to compare.
using Banks = std::vector<const float*>;

Banks banksOf(Noise& noise, const std::vector<size_t>& runs) {
  Banks banks;
  for (size_t n : runs) banks.push_back(n ? noise.medians(n).data() : nullptr);
  return banks;
}

// One replicate: the largest apparent gain over all arms, by size, alone and then together.
class Replicate {
 public:
  Replicate(Noise& noise, const CriticalQuestion& q)
      : common_(banksOf(noise, q.defaultRuns)), middle_(common_.size()), gains_(common_.size()) {
    for (const std::vector<size_t>& runs : q.armRuns) arms_.push_back(banksOf(noise, runs));
  }

  std::vector<float> draw(Random& random) {
    std::vector<float> largest(2 * common_.size(), -std::numeric_limits<float>::infinity());
    const size_t common = random.below(kBankSize);
    for (const Banks& arm : arms_) include(common, arm, random.below(kBankSize), largest);
    return largest;
  }

 private:
  // The same draw at every size, so that what the sizes of a run have in common stays so.
  void include(size_t common, const Banks& banks, size_t arm, std::vector<float>& largest) {
    const size_t sizes = common_.size(), stride = kPlacements * sizes;
    const auto gain = [&](size_t s, size_t placement) {
      if (!banks[s] || !common_[s]) return kNone;
      const size_t at = kPlacements * s + placement;
      return common_[s][common * stride + at] - banks[s][arm * stride + at];
    };
    gainsOfPlacements([&](size_t s) { return gain(s, 0); }, [&](size_t s) { return gain(s, 1); }, middle_, gains_);
    for (size_t s = 0; s < sizes; s++) {
      if (std::isnan(gains_[s])) continue;
      largest[s] = std::max(largest[s], gains_[s]);
      const float together = withNeighbours(elementOr(gains_, s - 1), gains_[s], elementOr(gains_, s + 1));
      largest[sizes + s] = std::max(largest[sizes + s], together);
    }
  }

  Banks common_;
  std::vector<Banks> arms_;
  std::vector<float> middle_, gains_;
};

// For each column of values[replicate][column] the level that leaves equally many replicates above it in each column,
// and at most `chance` of all replicates above it in any.
std::vector<double> balancedLevels(const std::vector<std::vector<float>>& values, double chance) {
  const size_t replicates = values.size(), columns = values[0].size();
  std::vector<size_t> least(replicates, replicates);  // best rank over columns; 0 is a column's largest
  std::vector<std::vector<std::pair<float, size_t>>> sorted(columns);
  for (size_t c = 0; c < columns; c++) {
    if (std::isinf(values[0][c])) continue;  // nothing is compared at this size
    for (size_t r = 0; r < replicates; r++) sorted[c].push_back({values[r][c], r});
    std::sort(sorted[c].begin(), sorted[c].end(), std::greater<>());
    for (size_t rank = 0; rank < replicates; rank++)
      least[sorted[c][rank].second] = std::min(least[sorted[c][rank].second], rank);
  }
  std::sort(least.begin(), least.end());
  const size_t rank = least[static_cast<size_t>(chance * static_cast<double>(replicates))];
  std::vector<double> levels;
  for (const auto& column : sorted)
    levels.push_back(column.empty() ? 0 : std::max(0.0, static_cast<double>(column[rank].first)));
  return levels;
}

}  // namespace

Critical criticalGains(Noise& noise, const CriticalQuestion& q) {
  if (q.armRuns.empty())
    return {std::vector<double>(q.defaultRuns.size()), std::vector<double>(q.defaultRuns.size())};
  Replicate replicate(noise, q);
  std::vector<std::vector<float>> values;
  Random random(1);
  for (size_t i = 0; i < kReplicates; i++) values.push_back(replicate.draw(random));
  const std::vector<double> levels = balancedLevels(values, q.chance);
  const auto half = levels.begin() + static_cast<ptrdiff_t>(q.defaultRuns.size());
  return {{levels.begin(), half}, {half, levels.end()}};
}

}  // namespace polyrail::cli
