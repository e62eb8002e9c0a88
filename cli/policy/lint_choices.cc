// SPDX-License-Identifier: Apache-2.0
// Choices that NCCL refuses in all or some of the communicators of their table, that cannot be reached, or that may
// corrupt data.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/model/gates.h"
#include "cli/policy/lint.h"

namespace polyrail {
namespace {

// Counts at which NCCL's conditions change, those of the range among them, and the range's ends.
std::vector<uint64_t> telling(const Range& range, std::initializer_list<uint64_t> counts) {
  std::vector<uint64_t> all(counts);
  all.push_back(std::max<uint64_t>(range.min, 1));
  if (range.max <= 1 << 16) all.push_back(range.max);
  std::erase_if(all, [&](uint64_t n) { return !range.contains(n); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

struct Refusals {
  size_t shapes = 0, refused = 0;
  std::string why;
};

Refusals refusals(const Table& table, const Choice& choice) {
  Refusals seen;
  for (uint64_t nodes : telling(table.layout.nodes, {1, 2}))
    for (uint64_t each : telling(table.layout.ranksPerNode, {1, 2, 8, 9, 32, 33})) {
      if (nodes * each < 2) continue;
      nccl::GateContext context;
      context.nodes = nodes;
      context.ranks = nodes * each;
      seen.shapes++;
      const nccl::GateAnswer answer = gate(context, table.collective, choice.algorithm, choice.protocol);
      if (answer.verdict != nccl::Verdict::kRefused) continue;
      seen.refused++;
      seen.why = answer.why;
    }
  return seen;
}

std::string text(const Choice& c) { return fmt::format("{}/{}", nccl::name(c.algorithm), nccl::name(c.protocol)); }

void lintRefused(const Table& table, const Choice& choice, const PolicyPlace& place, Findings& out) {
  const Refusals seen = refusals(table, choice);
  if (seen.refused == 0) return;
  if (seen.refused == seen.shapes)
    out.push_back({Severity::kWarning, "refused-choice", place,
                   fmt::format("NCCL never allows {} in these communicators: {}", text(choice), seen.why),
                   "remove it, or correct the layout"});
  else
    out.push_back({Severity::kNote, "sometimes-refused", place,
                   fmt::format("NCCL does not allow {} in all of these communicators: {}", text(choice), seen.why),
                   "give such communicators a table of their own, or a second choice"});
}

void lintRepeated(const Rule& rule, const Choice& choice, const PolicyPlace& place, Findings& out) {
  const auto same = [&](const Choice& c) { return c.algorithm == choice.algorithm && c.protocol == choice.protocol; };
  const auto first = std::find_if(rule.choices.begin(), rule.choices.end(), same);
  const size_t at = static_cast<size_t>(first - rule.choices.begin());
  if (at == *place.choice) return;
  out.push_back({Severity::kWarning, "repeated-choice", place,
                 fmt::format("is never reached: if NCCL refuses {}, it refuses choices[{}] too", text(choice), at),
                 "remove it"});
}

// A forced LL128 on a machine where NCCL does not enable it corrupts data silently (nccl#2053, #831).
void lintLl128(const Rule& rule, const Choice& choice, const PolicyPlace& place, Findings& out) {
  if (choice.protocol != nccl::Protocol::kLl128) return;
  const bool first = *place.choice == 0;
  const Evidence none, &e = rule.evidence ? *rule.evidence : none;
  if (e.ll128Default && (!first || e.wrong)) return;
  out.push_back({Severity::kError, "unsafe-ll128", place,
                 e.ll128Default ? "LL128 without a run that checked its results (\"wrong\": 0)"
                                : "LL128 without evidence that NCCL enables it by itself here (ll128_default)",
                 "measure with -c 1 and a TUNING log, or choose another protocol"});
}

void lintPat(const Table& table, const Rule& rule, const Choice& choice, const PolicyPlace& place, Findings& out) {
  if (choice.algorithm != nccl::Algorithm::kPat || table.collective != nccl::Collective::kReduceScatter) return;
  if (*place.choice + 1 < rule.choices.size()) return;
  out.push_back({Severity::kNote, "pat-reduction", place,
                 "NCCL refuses PAT for averages and scaled sums; NCCL decides for those", "add a second choice"});
}

// What of it the machine decides, so that nobody is surprised when nothing changes.
void lintMachine(const Table& table, const Rule& rule, const Choice& choice, const PolicyPlace& place,
                 Findings& out) {
  const bool multicast =
      choice.algorithm == nccl::Algorithm::kNvls && table.layout.nodes.min > 1 && rule.choices.size() == 1;
  const bool collNet = nccl::isCollNet(choice.algorithm) && rule.choices.size() == 1;
  if (!multicast && !collNet) return;
  out.push_back({Severity::kNote, "needs-collnet", place,
                 fmt::format("{} runs only where a CollNet plugin (SHARP) is loaded and enabled", text(choice)),
                 "add a second choice for where it is not"});
}

}  // namespace

void lintChoices(const Policy& policy, Findings& out) {
  forEachChoice(policy, [&](const Table& table, const Rule& rule, const Choice& choice, const PolicyPlace& place) {
    lintRefused(table, choice, place, out);
    lintRepeated(rule, choice, place, out);
    lintLl128(rule, choice, place, out);
    lintPat(table, rule, choice, place, out);
    lintMachine(table, rule, choice, place, out);
  });
}

}  // namespace polyrail
