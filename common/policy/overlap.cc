// SPDX-License-Identifier: Apache-2.0
#include "common/policy/overlap.h"

#include <algorithm>

namespace polyrail {
namespace {

bool sameConditions(const Rule& a, const Rule& b) { return a.pipeOps == b.pipeOps && a.regBuff == b.regBuff; }

std::string ruleName(size_t index) { return "rules[" + std::to_string(index) + "]"; }

}  // namespace

std::optional<PolicyProblem> findOverlap(const Table& table, size_t tableIndex) {
  std::vector<size_t> open;  // earlier rules that reach into the one looked at
  for (size_t i = 0; i < table.rules.size(); i++) {
    const Rule& rule = table.rules[i];
    const PolicyPlace at{.constant = {}, .table = tableIndex, .rule = i, .choice = {}};
    if (i > 0 && rule.from < table.rules[i - 1].from)
      return PolicyProblem{at, "rules must be sorted by \"from\"; move it before " + ruleName(i - 1)};
    std::erase_if(open, [&](size_t earlier) { return table.rules[earlier].to <= rule.from; });
    for (size_t earlier : open)
      if (sameConditions(table.rules[earlier], rule))
        return PolicyProblem{at, "overlaps " + ruleName(earlier) +
                                     ", which has the same conditions; end that one at " + std::to_string(rule.from) +
                                     " or give them different pipe_ops or reg_buff"};
    open.push_back(i);
    if (open.size() > kMaxAlternates)
      return PolicyProblem{
          at, "more than " + std::to_string(kMaxAlternates) + " rules hold for size " + std::to_string(rule.from)};
  }
  return {};
}

}  // namespace polyrail
