// SPDX-License-Identifier: Apache-2.0
#include "cli/policy/lint.h"

#include <algorithm>
#include <tuple>

namespace polyrail {
namespace {

constexpr void (*kFamilies[])(const Policy&, Findings&) = {lintIdentity, lintOptions,  lintShadows, lintSizes,
                                                           lintLayouts,  lintEvidence, lintChoices, lintChannels};

auto position(const PolicyPlace& p) { return std::tuple(p.table, p.rule, p.choice); }

}  // namespace

const char* name(Severity severity) {
  constexpr const char* kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

Findings lintPolicy(const Policy& policy) {
  Findings out;
  for (auto family : kFamilies) family(policy, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return position(a.place) < position(b.place); });
  return out;
}

}  // namespace polyrail
