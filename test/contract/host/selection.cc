// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/selection.h"

#include <cfloat>

namespace polyrail::contract {

std::optional<Pick> pickFromTable(const CostTable& after) {
  std::optional<Pick> best;
  float least = FLT_MAX;
  for (int a = 0; a < after.algorithms(); a++)
    for (int p = 0; p < nccl::kNumProtocols; p++)
      if (const float t = after.at(a, p); t >= 0 && t < least) best = Pick{a, p, least = t};
  return best;
}

std::optional<Pick> pickFromList(const CostTable& before, const CostTable& after) {
  std::optional<Pick> best;
  float least = FLT_MAX;
  for (int a = after.algorithms() - 1; a >= 0; a--)  // pushed to the front one by one, so the last comes first
    for (int p = nccl::kNumProtocols - 1; p >= 0; p--)
      if (const float t = after.at(a, p); before.allows(a, p) && t < least) best = Pick{a, p, least = t};
  return best;
}

}  // namespace polyrail::contract
