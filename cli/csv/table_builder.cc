// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace polyrail {
namespace {

struct Condition {
  std::optional<uint64_t> pipeOps;
  std::optional<bool> regBuff;
  bool operator==(const Condition&) const = default;
  int states() const { return (pipeOps ? 1 : 0) + (regBuff ? 1 : 0); }
  bool within(const Condition& wider) const {
    return (!wider.pipeOps || wider.pipeOps == pipeOps) && (!wider.regBuff || wider.regBuff == regBuff);
  }
};

Condition conditionOf(const CsvRow& row) { return {row.pipeOps, row.regBuff}; }

// A row with its sizes in the table's unit.
struct Placed {
  const CsvRow* row;
  uint64_t from, to;
};

// Total bytes come in multiples of the ranks there, so this loses nothing.
std::optional<Placed> place(const CsvRow& row, const CsvShape& shape) {
  const uint64_t unit = nccl::keyedPerRank(row.collective) ? shape.ranks.value_or(1) : 1;
  const uint64_t from = row.min / unit + (row.min % unit != 0), last = row.max / unit;
  if (from > last) return std::nullopt;
  return Placed{&row, from, row.max == kNoLimit ? kNoLimit : last + 1};
}

bool sameKernel(const Choice& a, const Choice& b) { return a.algorithm == b.algorithm && a.protocol == b.protocol; }

class TableBuilder {
 public:
  TableBuilder(CsvBudget& budget, Table& table, Remarks& remarks)
      : budget_(budget), table_(table), remarks_(remarks) {}

  // From boundary to boundary with the rows that hold between.
  bool build(const std::vector<Placed>& rows) {
    std::vector<std::pair<uint64_t, size_t>> starts, ends;
    std::set<uint64_t> boundaries;
    for (size_t i = 0; i < rows.size(); i++) {
      starts.push_back({rows[i].from, i});
      ends.push_back({rows[i].to, i});
      boundaries.insert({rows[i].from, rows[i].to});
    }
    std::sort(starts.begin(), starts.end());
    std::sort(ends.begin(), ends.end());
    std::set<size_t> active;
    auto start = starts.begin(), end = ends.begin();
    for (auto at = boundaries.begin(); at != boundaries.end() && std::next(at) != boundaries.end(); ++at) {
      for (; start != starts.end() && start->first == *at; ++start) active.insert(start->second);
      for (; end != ends.end() && end->first == *at; ++end) active.erase(end->second);
      if (!budget_.take(active.size() * (kMaxAlternates + 1) + 1)) return false;
      std::vector<const CsvRow*> holding;
      for (size_t i : active) holding.push_back(rows[i].row);
      append(*at, *std::next(at), holding);
    }
    return true;
  }

 private:
  // Distinct conditions and what two of them have in common, the narrow before the wide.
  std::vector<Condition> conditions(const std::vector<const CsvRow*>& rows) {
    std::vector<Condition> out;
    const auto add = [&](const Condition& c) {
      if (std::find(out.begin(), out.end(), c) == out.end() && out.size() <= kMaxAlternates) out.push_back(c);
    };
    for (const CsvRow* row : rows) add(conditionOf(*row));
    const std::vector<Condition> named = out;
    for (const Condition& a : named)
      for (const Condition& b : named)
        if (a.pipeOps && !a.regBuff && b.regBuff && !b.pipeOps) add({a.pipeOps, b.regBuff});
    std::stable_sort(out.begin(), out.end(),
                     [](const Condition& a, const Condition& b) { return a.states() > b.states(); });
    return out;
  }

  std::vector<Choice> choices(const std::vector<const CsvRow*>& rows, const Condition& condition) {
    std::vector<Choice> out;
    for (const CsvRow* row : rows) {
      const auto same = [&](const Choice& c) { return sameKernel(c, row->choice); };
      if (!condition.within(conditionOf(*row)) || std::any_of(out.begin(), out.end(), same)) continue;
      if (out.size() == kMaxChoices) {
        if (told_.insert(row->line).second)
          remarks_.push_back({row->line, "is the fourth choice for some sizes; a policy has three"});
        break;
      }
      out.push_back(row->choice);
    }
    return out;
  }

  void append(uint64_t from, uint64_t to, const std::vector<const CsvRow*>& rows) {
    std::vector<Rule> added;
    const std::vector<Condition> all = conditions(rows);
    for (const Condition& c : all) {
      if (added.size() == kMaxAlternates) {
        if (told_.insert(0).second)
          remarks_.push_back({rows.back()->line, fmt::format("more than {} conditions for one size; a policy has no "
                                                             "more, those of the later rows are left out",
                                                             kMaxAlternates)});
        break;
      }
      Rule rule;
      rule.from = from;
      rule.to = to;
      if (c.pipeOps) rule.pipeOps = Range{*c.pipeOps, *c.pipeOps};
      rule.regBuff = c.regBuff;
      rule.choices = choices(rows, c);
      added.push_back(rule);
    }
    if (!continues(added))
      table_.rules.insert(table_.rules.end(), added.begin(), added.end());
    else
      for (size_t i = 0; i < added.size(); i++) table_.rules[table_.rules.size() - added.size() + i].to = to;
    lastCount_ = added.size();
  }

  // True when the rules before this boundary say the same: it is none of this table's.
  bool continues(const std::vector<Rule>& added) const {
    if (added.empty() || added.size() != lastCount_) return false;
    for (size_t i = 0; i < added.size(); i++) {
      Rule before = table_.rules[table_.rules.size() - added.size() + i];
      if (before.to != added[i].from) return false;
      before.from = added[i].from;
      before.to = added[i].to;
      if (before != added[i]) return false;
    }
    return true;
  }

  CsvBudget& budget_;
  Table& table_;
  Remarks& remarks_;
  size_t lastCount_ = 0;
  std::set<size_t> told_;  // lines
};

}  // namespace

bool buildTable(const std::vector<const CsvRow*>& rows, const CsvShape& shape, CsvBudget& budget, Table& table,
                Remarks& remarks) {
  std::vector<Placed> placed;
  for (const CsvRow* row : rows) {
    if (const std::optional<Placed> p = place(*row, shape))
      placed.push_back(*p);
    else
      remarks.push_back(
          {row->line, fmt::format("no size per rank with {} ranks lies between min and max", *shape.ranks)});
  }
  return TableBuilder(budget, table, remarks).build(placed);
}

}  // namespace polyrail
