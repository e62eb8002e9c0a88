// SPDX-License-Identifier: Apache-2.0
#include "cli/model/selection.h"

#include <cfloat>

namespace polyrail::nccl {
namespace {

Selection entry(std::span<const float> table, size_t i, int protocols) {
  const int at = static_cast<int>(i);
  return {at / protocols, at % protocols, table[i]};
}

}  // namespace

std::optional<Selection> selectUntil230(std::span<const float> table, int protocols) {
  std::optional<Selection> best;
  float least = FLT_MAX;
  for (size_t i = 0; i < table.size(); i++) {
    if (!(table[i] >= 0.0f) || !(table[i] < least)) continue;
    least = table[i];
    best = entry(table, i, protocols);
  }
  return best;
}

std::optional<Selection> selectFrom231(std::span<const float> before, std::span<const float> after, int protocols) {
  std::optional<Selection> best;
  float least = FLT_MAX;
  for (size_t i = after.size(); i-- > 0;) {
    if (!(before[i] >= 0.0f) || !(after[i] < least)) continue;
    least = after[i];
    best = entry(after, i, protocols);
  }
  return best;
}

std::optional<Selection> select(SelectionRule rule, std::span<const float> before, std::span<const float> after,
                                int protocols) {
  return rule == SelectionRule::kUntil230 ? selectUntil230(after, protocols)
                                          : selectFrom231(before, after, protocols);
}

}  // namespace polyrail::nccl
