// SPDX-License-Identifier: Apache-2.0
// How much times vary when nothing was changed. One whole run of a test is the unit: its iterations, its placements
// and its sizes share one launch and are not independent repeats (Hunold and Carpen-Amarie, "Reproducible MPI
// benchmarking is still not as easy as you think", TPDS 2016). A Deviation is how far one run lay from the median of
// its arm's runs, at all sizes. Deviations are pooled over the arms of a sweep, because five repeats of one arm say
// little about tails and a hundred runs of all arms do. A Noise belongs to one sweep and one thread; it keeps a
// reference to the sweep.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "cli/learn/random.h"
#include "cli/learn/sweep.h"

namespace polyrail::cli {

inline constexpr size_t kBankSize = 2048;  // draws of each kind

// Log times by size and placement: element kPlacements * size + placement.
using Deviation = std::vector<float>;

class Noise {
 public:
  explicit Noise(const Sweep& sweep);

  // kBankSize draws of what the medians over `runs` >= 1 repeats deviate by, whole runs drawn at a time; made on
  // first use, valid as long as the Noise. They lie end to end.
  const std::vector<float>& medians(size_t runs);
  // Relative standard deviation of a single run at this size, its two placements averaged, by the central 68 %:
  // outliers do not count here.
  double spread(size_t size) const { return spreads_[size]; }
  // How many times noisier than the sweep this series is around this size, by the same measure; at least 1.
  double scale(size_t series, size_t size) const { return scales_[series][size]; }
  // Runs of arms with repeats, from which this is known.
  size_t observed() const { return pool_.size(); }

 private:
  Deviation draw(Random& random) const;
  void scaleAt(size_t size, const std::vector<std::vector<Times>>& own);

  const Sweep& sweep_;
  std::vector<Times> pool_;      // one a run; NaN where the run has no time or no other run to differ from
  std::vector<double> spreads_;  // by size
  std::vector<std::vector<double>> scales_;  // by series and size
  std::map<size_t, std::vector<float>> banks_;
};

}  // namespace polyrail::cli
