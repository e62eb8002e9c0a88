// SPDX-License-Identifier: Apache-2.0
// What a policy means, said as plainly as possible: walk its rules in order, take the first that holds.
#pragma once

#include <optional>

#include "tuner/snapshot.h"

namespace polyrail::test {

inline bool sizeHolds(const Rule& rule, nccl::Collective collective, uint64_t total, uint64_t ranks) {
  const uint64_t size = nccl::keyedPerRank(collective) ? total / ranks : total;
  return size >= rule.from && (size < rule.to || (rule.to == kNoLimit && rule.from < rule.to));
}

inline bool conditionsHold(const Rule& rule, const Options& options, const Request& r) {
  if (rule.regBuff) {
    if (!options.uniformApplication || r.registered == Registered::kUnknown) return false;
    if (*rule.regBuff != (r.registered == Registered::kYes)) return false;
  }
  return !rule.pipeOps || rule.pipeOps->contains(static_cast<uint64_t>(std::max(r.pipeOps, 0)));
}

inline std::optional<Origin> firstMatch(const Policy& policy, const Shape& shape, const Request& r) {
  if (r.collective < 0 || r.collective >= nccl::kNumCollectives) return std::nullopt;
  for (uint32_t t = 0; t < policy.tables.size(); t++) {
    const Table& table = policy.tables[t];
    if (static_cast<int>(table.collective) != r.collective || !fits(table.layout, shape)) continue;
    for (uint32_t i = 0; i < table.rules.size(); i++)
      if (sizeHolds(table.rules[i], table.collective, r.bytes, shape.ranks) &&
          conditionsHold(table.rules[i], policy.options, r))
        return Origin{t, i};
  }
  return std::nullopt;
}

}  // namespace polyrail::test
