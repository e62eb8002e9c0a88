// SPDX-License-Identifier: Apache-2.0
// Communicators a table is said to hold for, and what the whole policy says of itself.
#include <fmt/format.h>

#include <set>

#include "cli/policy/lint.h"
#include "common/nccl/version.h"

namespace polyrail {
namespace {

void lintBreadth(const Range& range, const char* what, size_t t, Findings& out) {
  if (range.max == kNoLimit)
    out.push_back(
        {Severity::kWarning, "open-layout", placeOf(t),
         fmt::format("holds for any number of {} from {} on; no measurement reaches that far", what, range.min),
         "state the range that was measured"});
  else if (range.max > 2 * std::max<uint64_t>(range.min, 1))
    out.push_back(
        {Severity::kNote, "wide-layout", placeOf(t),
         fmt::format("holds for {} to {} {}; that both ends and the middle were measured cannot be seen here",
                     range.min, range.max, what),
         "check that the sources cover it"});
}

void lintVersion(const std::string& text, const char* which, Findings& out) {
  if (text.empty() || nccl::parseVersion(text)) return;
  out.push_back({Severity::kWarning,
                 "identity-version",
                 {},
                 fmt::format("identity.nccl.{} {} is no NCCL version", which, quoted(text)),
                 "write it as 2.24.3"});
}

}  // namespace

void lintLayouts(const Policy& policy, Findings& out) {
  for (size_t t = 0; t < policy.tables.size(); t++) {
    lintBreadth(policy.tables[t].layout.nodes, "nodes", t, out);
    lintBreadth(policy.tables[t].layout.ranksPerNode, "ranks per node", t, out);
  }
}

void lintIdentity(const Policy& policy, Findings& out) {
  const Identity& id = policy.identity;
  std::string missing;
  const std::pair<const char*, const std::string*> parts[] = {
      {"gpu", &id.gpu}, {"nic", &id.nic}, {"nccl.min", &id.ncclMin}, {"nccl.max", &id.ncclMax}};
  for (const auto& [key, value] : parts)
    if (value->empty()) missing += (missing.empty() ? "" : ", ") + std::string(key);
  if (!missing.empty())
    out.push_back({Severity::kWarning,
                   "identity-missing",
                   {},
                   "the identity does not say: " + missing,
                   "add what it was measured on, so that it is not used elsewhere"});
  lintVersion(id.ncclMin, "min", out);
  lintVersion(id.ncclMax, "max", out);
}

void lintOptions(const Policy& policy, Findings& out) {
  std::set<std::pair<std::string, std::array<int, 3>>> seen;
  for (size_t i = 0; i < policy.constants.size(); i++) {
    const ConstantOverride& c = policy.constants[i];
    if (seen.insert({c.array, c.index}).second) continue;
    out.push_back({Severity::kWarning,
                   "constant-twice",
                   {.constant = i, .table = {}, .rule = {}, .choice = {}},
                   c.array + " is set at this index before; the last one counts",
                   "remove one"});
  }
  if (!policy.constants.empty())
    out.push_back({Severity::kNote,
                   "constants",
                   {},
                   "constants change NCCL's own choice of every collective, also where no rule holds (NCCL 2.28 and "
                   "newer)",
                   ""});
  forEachRule(policy, [&](const Table&, const Rule& rule, PolicyPlace place) {
    place.key = "reg_buff";
    if (rule.regBuff)
      out.push_back({Severity::kWarning, "registration-rule", place,
                     "NCCL tells each rank only of its own registration; if one rank differs, the job hangs",
                     "use it only where every rank registers alike, always"});
  });
}

}  // namespace polyrail
