// SPDX-License-Identifier: Apache-2.0
// How far to believe that one series is noisier than the others, from few runs. Pure; any thread.
#pragma once

#include <vector>

namespace polyrail::cli {

struct OwnSpread {
  double ratio = 1;    // the series' standard deviation over that of all; NaN or 0: not known
  double freedom = 0;  // degrees of freedom behind it: runs - 1
};

// The moderated ratios, at least 1: each is drawn towards 1 as strongly as the ratios of all series together show
// that their differences are chance (Smyth, "Linear models and empirical Bayes methods for assessing differential
// expression in microarray experiments", 2004).
std::vector<double> moderate(const std::vector<OwnSpread>& series);

}  // namespace polyrail::cli
