// SPDX-License-Identifier: Apache-2.0
// How large a gain noise alone produces somewhere in a sweep when many arms are compared with one default at many
// sizes: the joint bootstrap distribution of all apparent gains, whole runs resampled. It answers the comparison of
// many treatments with one control (Dunnett, JASA 1955) by resampling (Westfall and Young, "Resampling-based multiple
// testing", 1993), with the chance of error shared evenly over sizes (Beran, "Balanced simultaneous confidence sets",
// JASA 1988), since small messages are far noisier than large ones. Deterministic; one thread.
#pragma once

#include <vector>

#include "cli/learn/noise.h"

namespace polyrail::cli {

struct CriticalQuestion {
  std::vector<size_t> defaultRuns;           // by size
  std::vector<std::vector<size_t>> armRuns;  // by arm and size; 0: not compared there
  double chance = 0.025;                     // that noise exceeds any of the results
};

// What only noise exceeds, by size: a log gain at the size alone, and with its neighbours. 0 where nothing is
// compared. Every size and both kinds together are exceeded with the chance asked for.
struct Critical {
  std::vector<double> alone, together;
};
Critical criticalGains(Noise& noise, const CriticalQuestion& question);

}  // namespace polyrail::cli
