// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/no_match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

std::string range(const Range& r, const char* what) {
  if (r == Range{}) return fmt::format("any {}s", what);
  if (r.min == r.max) return fmt::format("{} {}{}", r.min, what, r.min == 1 ? "" : "s");
  if (r.max == kNoLimit) return fmt::format("{} or more {}s", r.min, what);
  return fmt::format("{}..{} {}s", r.min, r.max, what);
}

// The size as the policy keys it.
uint64_t key(const ExplainQuestion& q) {
  return nccl::keyedPerRank(q.collective) && q.shape.ranks > 0 ? q.totalBytes / q.shape.ranks : q.totalBytes;
}

bool covers(const Rule& rule, uint64_t bytes) {
  return bytes >= rule.from && (bytes < rule.to || rule.to == kNoLimit);
}

std::string list(const std::set<std::string>& words) { return fmt::format("{}", fmt::join(words, "; ")); }

std::string otherCollectives(const Policy& policy, nccl::Collective asked) {
  std::set<std::string> known;
  for (const polyrail::Table& t : policy.tables) known.emplace(nccl::name(t.collective));
  if (known.empty()) return "the policy has no tables at all";
  return fmt::format("no table for {}; the policy has tables for {}", nccl::name(asked), list(known));
}

using PolicyTable = polyrail::Table;  // not the one for people
using Tables = std::vector<const PolicyTable*>;

Tables tablesFor(const Policy& policy, nccl::Collective c) {
  Tables found;
  for (const PolicyTable& t : policy.tables)
    if (t.collective == c) found.push_back(&t);
  return found;
}

// Layouts that would fit if the NVLink domains did.
bool fitsButForDomains(const Layout& layout, const Shape& shape) {
  Layout blind = layout;
  blind.nvlDomains.reset();
  blind.ranksPerNvlDomain.reset();
  return fits(blind, shape);
}

std::string domainMiss(const PolicyTable& table, const Shape& shape) {
  const std::string wanted = describeLayout(table.layout);
  if (shape.nvl)
    return fmt::format("a table for {} misses by its NVLink domains: this communicator has {}, of {}..{} ranks",
                       wanted, shape.nvl->count, shape.nvl->minRanks, shape.nvl->maxRanks);
  if (shape.abi < 5)
    return fmt::format("a table for {} needs to know the NVLink domains, and NCCL tells them from 2.28 on only",
                       wanted);
  return fmt::format("a table for {} needs to know the NVLink domains; say them with --nvl-domains", wanted);
}

std::vector<std::string> layoutMisses(const Tables& tables, const ExplainQuestion& q) {
  const Shape& s = q.shape;
  if (s.nodes == 0 || s.ranks % s.nodes != 0)
    return {fmt::format("{} ranks do not divide evenly among {} nodes: no layout ever fits that", s.ranks, s.nodes)};
  std::vector<std::string> misses;
  std::set<std::string> layouts;
  for (const PolicyTable* t : tables) {
    layouts.insert(describeLayout(t->layout));
    if (fitsButForDomains(t->layout, s)) misses.push_back(domainMiss(*t, s));
  }
  misses.push_back(fmt::format("no table of {} is for {} of {}; there are tables for: {}", nccl::name(q.collective),
                               counted(s.nodes, "node"), counted(s.ranks / s.nodes, "rank"), list(layouts)));
  return misses;
}

// Rules whose sizes fit and whose conditions do not.
std::vector<std::string> conditionMisses(const Tables& tables, const ExplainQuestion& q) {
  std::vector<std::string> misses;
  for (const PolicyTable* t : tables) {
    for (const Rule& r : t->rules) {
      if (!covers(r, key(q))) continue;
      if (r.pipeOps && !r.pipeOps->contains(static_cast<uint64_t>(std::max(q.pipeOps, 0))))
        misses.push_back(fmt::format("a rule for this size is for {} in a group", range(*r.pipeOps, "operation")));
      if (r.regBuff)
        misses.push_back(fmt::format("a rule for this size is for {} buffers (--reg-buff yes|no)",
                                     *r.regBuff ? "registered" : "unregistered"));
    }
  }
  return misses;
}

std::string sizeMiss(const Tables& tables, const ExplainQuestion& q) {
  const uint64_t bytes = key(q);
  const Rule* below = nullptr;
  const Rule* above = nullptr;
  for (const PolicyTable* t : tables) {
    for (const Rule& r : t->rules) {
      if (r.from > bytes && (above == nullptr || r.from < above->from)) above = &r;
      if (r.to <= bytes && (below == nullptr || r.to > below->to)) below = &r;
    }
  }
  std::string text =
      fmt::format("no rule covers {}{}", humanBytes(bytes), nccl::keyedPerRank(q.collective) ? " a rank" : "");
  if (below != nullptr) text += fmt::format("; the nearest below is for {}", describeSizes(below->from, below->to));
  if (above != nullptr) text += fmt::format("; the nearest above is for {}", describeSizes(above->from, above->to));
  return below == nullptr && above == nullptr ? text + "; the tables that fit have no rules" : text;
}

}  // namespace

std::string counted(uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string describeLayout(const Layout& layout) {
  std::string text = range(layout.nodes, "node") + " of " + range(layout.ranksPerNode, "rank");
  if (layout.nvlDomains) text += ", " + range(*layout.nvlDomains, "NVLink domain");
  if (layout.ranksPerNvlDomain && !layout.nvlDomains) text += ", NVLink domains";
  if (layout.ranksPerNvlDomain) text += " of " + range(*layout.ranksPerNvlDomain, "rank");
  return text;
}

std::string describeSizes(uint64_t from, uint64_t to) {
  if (to == kNoLimit) return from == 0 ? "any size" : fmt::format("{} and more", humanBytes(from));
  return fmt::format("{} up to {}", humanBytes(from), humanBytes(to));
}

std::vector<std::string> nearestMiss(const Policy& policy, const ExplainQuestion& q) {
  const Tables tables = tablesFor(policy, q.collective);
  if (tables.empty()) return {otherCollectives(policy, q.collective)};
  Tables fitting;
  std::copy_if(tables.begin(), tables.end(), std::back_inserter(fitting),
               [&](const PolicyTable* t) { return fits(t->layout, q.shape); });
  if (fitting.empty()) return layoutMisses(tables, q);
  std::vector<std::string> misses = conditionMisses(fitting, q);
  if (misses.empty()) misses.push_back(sizeMiss(fitting, q));
  return misses;
}

}  // namespace polyrail::cli
