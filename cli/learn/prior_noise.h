// SPDX-License-Identifier: Apache-2.0
// What noise to expect where a data set says little of its own. Plain values; one thread.
#pragma once

#include <cstdint>

#include "cli/learn/random.h"

namespace polyrail::cli {

// One run that deviates as public measurements do between runs of one configuration: below a few MiB whole runs shift
// by about 5 % and single cells stray to several times their time; above, both stay within a few per cent. Strays are
// slow: nothing runs faster than it can.
class PriorRun {
 public:
  explicit PriorRun(Random& random);
  // Of the next cell measured, in log units; `totalBytes` of the whole message.
  double deviation(uint64_t totalBytes);

 private:
  Random& random_;
  double shift_;  // standard deviations
};

}  // namespace polyrail::cli
