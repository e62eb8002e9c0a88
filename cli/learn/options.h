// SPDX-License-Identifier: Apache-2.0
// What a user may set of how the learner decides. A plain value.
#pragma once

#include <cstddef>

namespace polyrail::cli {

struct LearnOptions {
  double minimumGain = 0.02;       // share of the default's time that a choice must save for certain
  double confidence = 0.95;        // of all statements about one sweep together
  size_t maxRules = 12;            // per collective and layout
  bool allGatherChannels = false;  // as in the policy's options: channels of AllGather may be chosen
};

}  // namespace polyrail::cli
