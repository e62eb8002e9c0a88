// SPDX-License-Identifier: Apache-2.0
// Where a table's sizes begin, end, leave gaps, or look as if they were in another unit.
#include <fmt/format.h>

#include <algorithm>

#include "cli/output/units.h"
#include "cli/policy/lint.h"

namespace polyrail {
namespace {

constexpr uint64_t k4Gib = uint64_t{1} << 32;
// The memory of the largest GPU so far (B300, GB300: 288 GB); a buffer must fit in one.
constexpr uint64_t kLargestBuffer = uint64_t{288} << 30;

std::string sizes(uint64_t from, uint64_t to) {
  return fmt::format("{} to {}", cli::humanBytes(from), cli::humanBytes(to));
}

// Sizes that no rule of the table holds for, between two that some do.
void lintGaps(const Table& table, size_t t, Findings& out) {
  uint64_t end = 0;
  for (size_t r = 0; r < table.rules.size(); r++) {
    const Rule& rule = table.rules[r];
    if (r > 0 && rule.from == end + 1)
      out.push_back({Severity::kWarning, "inclusive-end", placeOf(t, r, "from"),
                     fmt::format("size {} belongs to no rule: \"to\" is exclusive", end),
                     fmt::format("write \"to\": {} in the rule before", rule.from)});
    else if (r > 0 && rule.from > end)
      out.push_back({Severity::kNote, "gap", placeOf(t, r, "from"),
                     fmt::format("no rule holds from {}; NCCL decides there", sizes(end, rule.from)), ""});
    end = std::max(end, rule.to);
  }
}

void lintEnd(const Table& table, size_t t, Findings& out) {
  uint64_t end = 0;
  size_t last = 0;
  for (size_t r = 0; r < table.rules.size(); r++)
    if (table.rules[r].to > end) end = table.rules[r].to, last = r;
  if (table.rules.empty()) {
    out.push_back({Severity::kNote, "empty-table", placeOf(t), "has no rules", "remove it"});
  } else if (end == k4Gib - 1 || end == k4Gib) {
    out.push_back({Severity::kWarning, "32-bit-end", placeOf(t, last, "to"),
                   "ends at 4 GiB, the limit of 32-bit sizes in other tuners; larger messages get no rule",
                   "write \"to\": null if all sizes are meant"});
  } else if (end < k4Gib) {
    out.push_back({Severity::kNote, "open-end", placeOf(t, last, "to"),
                   fmt::format("is the last rule; from {} on NCCL decides", cli::humanBytes(end)), ""});
  }
}

// The largest size that a table names; 0 for none.
uint64_t largestBoundary(const Table& table) {
  uint64_t largest = 0;
  for (const Rule& rule : table.rules) largest = std::max({largest, rule.from, rule.to == kNoLimit ? 0 : rule.to});
  return largest;
}

uint64_t fewestRanks(const Layout& layout) {
  const uint64_t nodes = std::max<uint64_t>(layout.nodes.min, 1),
                 each = std::max<uint64_t>(layout.ranksPerNode.min, 1);
  return nodes > kNoLimit / each ? kNoLimit : nodes * each;
}

// AllGather's result and ReduceScatter's input are as many times the size as there are ranks, in one GPU's memory.
void lintUnit(const Table& table, size_t t, Findings& out) {
  const uint64_t ranks = nccl::keyedPerRank(table.collective) ? fewestRanks(table.layout) : 1;
  const uint64_t largest = largestBoundary(table);
  if (largest <= kLargestBuffer / ranks) return;
  out.push_back({Severity::kWarning, "wrong-unit", placeOf(t),
                 fmt::format("names a size of {}{}, more than any GPU can hold", cli::humanBytes(largest),
                             ranks > 1 ? fmt::format(" per rank, {} ranks", ranks) : ""),
                 ranks > 1 ? "divide the sizes by the ranks if they are of the whole message" : ""});
}

// One sweep has the same sizes in nccl-tests' column for both collectives; per rank the gather's are smaller.
void lintUnitBesideAllReduce(const Policy& policy, size_t t, Findings& out) {
  const Table& gather = policy.tables[t];
  if (!nccl::keyedPerRank(gather.collective) || fewestRanks(gather.layout) < 2) return;
  for (const Table& other : policy.tables) {
    if (nccl::keyedPerRank(other.collective) || other.layout != gather.layout) continue;
    const uint64_t largest = largestBoundary(other);
    if (largest == 0 || largestBoundary(gather) != largest) continue;
    out.push_back({Severity::kNote, "unit-suspect", placeOf(t),
                   fmt::format("ends at {} per rank, just where {} ends in total", cli::humanBytes(largest),
                               nccl::name(other.collective)),
                   "check that the sizes were divided by the ranks"});
    return;
  }
}

}  // namespace

void lintSizes(const Policy& policy, Findings& out) {
  for (size_t t = 0; t < policy.tables.size(); t++) {
    lintGaps(policy.tables[t], t, out);
    lintEnd(policy.tables[t], t, out);
    lintUnit(policy.tables[t], t, out);
    lintUnitBesideAllReduce(policy, t, out);
  }
}

}  // namespace polyrail
