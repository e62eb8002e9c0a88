// SPDX-License-Identifier: Apache-2.0
#include "tuner/snapshot.h"

#include <algorithm>

namespace polyrail {

Snapshot::RuleId Snapshot::ruleOf(uint32_t target, const Request& r) const noexcept {
  if (target == kNoRule || !(target & kConditions)) return target;
  const Conditions& conditions = conditions_[target & ~kConditions];
  const size_t variant = static_cast<size_t>(r.registered);
  const uint64_t operations = static_cast<uint64_t>(std::max(r.pipeOps, 0));
  const auto begin = pieces_.begin() + conditions.begin[variant];
  const auto end = pieces_.begin() + conditions.begin[variant + 1];
  const auto after =
      std::upper_bound(begin, end, operations, [](uint64_t n, const Piece& piece) { return n < piece.operations; });
  return std::prev(after)->rule;
}

std::span<const CompiledChoice> Snapshot::choicesOf(RuleId rule) const noexcept {
  if (rule == kNoRule) return {};
  const CompiledChoice* first = &choices_[rules_[rule]];
  return {first, size_t{1} + first->alternatives};
}

std::optional<Origin> Snapshot::explain(const Request& r) const {
  if (static_cast<unsigned>(r.collective) >= nccl::kNumCollectives) return std::nullopt;
  const Decisions& decisions = decisions_[static_cast<unsigned>(r.collective)];
  const CompiledChoice* only = decisions.onlyChoices.find(r.bytes);
  const RuleId rule = only ? ruleOf(decisions.targets[decisions.onlyChoices.ordinal(only)], r) : kNoRule;
  return rule == kNoRule ? std::nullopt : std::optional(origins_[rule]);
}

uint32_t Snapshot::chunk(int collective, int algorithm, int protocol, uint64_t bytes) const noexcept {
  const unsigned c = static_cast<unsigned>(collective), a = static_cast<unsigned>(algorithm),
                 p = static_cast<unsigned>(protocol);
  if (c >= nccl::kNumCollectives || a >= nccl::kNumAlgorithms || p >= nccl::kNumProtocols) return kNccls;
  const uint32_t* wanted = chunks_[combination(c, a, p)].find(bytes);
  return wanted ? *wanted : kNccls;
}

}  // namespace polyrail
