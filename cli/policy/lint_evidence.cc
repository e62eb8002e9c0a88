// SPDX-License-Identifier: Apache-2.0
// Whether a rule says why it is there, and whether what it says is enough.
#include <fmt/format.h>

#include <algorithm>

#include "cli/policy/lint.h"

namespace polyrail {
namespace {

void lintMissing(const Table& table, size_t t, Findings& out) {
  const auto missing =
      std::count_if(table.rules.begin(), table.rules.end(), [](const Rule& r) { return !r.evidence; });
  if (missing == 0) return;
  out.push_back({Severity::kWarning, "no-evidence", placeOf(t),
                 fmt::format("{} of {} rules have no evidence", missing, table.rules.size()),
                 "measure, and let `polyrail learn` write the policy"});
}

void lintGain(const Rule& rule, PolicyPlace place, Findings& out) {
  const Evidence& e = *rule.evidence;
  place.key = "evidence";
  if (e.gainLow <= 0)
    out.push_back({Severity::kWarning, "gain-unproven", place,
                   fmt::format("the gain's interval {:.3g} to {:.3g} includes none at all", e.gainLow, e.gainHigh),
                   "measure more, or remove the rule"});
  else if (e.gainLow < e.minimumDetectable)
    out.push_back({Severity::kWarning, "gain-undetectable", place,
                   fmt::format("a gain of {:.3g} is below the {:.3g} that the measurement can tell from noise",
                               e.gainLow, e.minimumDetectable),
                   "measure more, or remove the rule"});
  if (e.samples == 1)
    out.push_back({Severity::kWarning, "single-sample", place, "rests on one measured time", "repeat the run"});
  if (e.wrong.value_or(0) > 0)
    out.push_back({Severity::kError, "wrong-results", place,
                   fmt::format("{} wrong values were seen with the first choice", *e.wrong),
                   "never use it; report it to the owner of the machine"});
}

}  // namespace

void lintEvidence(const Policy& policy, Findings& out) {
  for (size_t t = 0; t < policy.tables.size(); t++) lintMissing(policy.tables[t], t, out);
  forEachRule(policy, [&](const Table&, const Rule& rule, const PolicyPlace& place) {
    if (rule.evidence) lintGain(rule, place, out);
  });
}

}  // namespace polyrail
