// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/csv/shapes.h"
#include "common/policy/place.h"

namespace polyrail {
namespace {

constexpr uint64_t kMostShapes = 256;     // rows a range of communicators may become
constexpr uint64_t kMostPipeOps = 16;     // rows a range of operations may become
constexpr size_t kMostPairs = 4'000'000;  // comparisons that look for rows which take over

constexpr char kHeading[] =
    "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n"
    "# For NCCL's example tuner (NCCL_TUNER_CONFIG_FILE). Mind that it runs rows with -1 channels, and every "
    "operation\n"
    "# without a row, on a single channel (plugins/tuner/example/plugin.c up to NCCL 2.30.7).\n";

bool isAny(const Range& range) { return range.min <= 1 && range.max == kNoLimit; }

// How many counts; 0 for too many.
uint64_t width(const Range& range, uint64_t most) {
  const uint64_t above = range.max - std::max<uint64_t>(range.min, 1);
  return above < most ? above + 1 : 0;
}

class Exporter {
 public:
  explicit Exporter(const Policy& policy) : policy_(policy) {}

  CsvExport run() {
    for (size_t t = 0; t < policy_.tables.size(); t++) addTable(t);
    remarkTotals();
    remarkTakeovers();
    out_.text = kHeading;
    for (const CsvRow& row : rows_) out_.text += toCsv(row) + "\n";
    out_.rows = rows_.size();
    return std::move(out_);
  }

 private:
  struct Origin {
    size_t table, rule;
    bool operator==(const Origin&) const = default;
  };

  void remark(const PolicyPlace& place, const std::string& text) {
    out_.remarks.push_back({0, place.text() + ": " + text});
  }

  // Nothing when the CSV cannot name them: it has one number of nodes and one of ranks.
  std::vector<CsvShape> shapes(const Layout& layout) {
    if (layout.nvlDomains || layout.ranksPerNvlDomain) return {};
    if (isAny(layout.ranksPerNode)) {
      if (isAny(layout.nodes)) return {CsvShape{}};
      return everyNodes(layout.nodes);
    }
    const uint64_t nodes = width(layout.nodes, kMostShapes), each = width(layout.ranksPerNode, kMostShapes);
    if (nodes == 0 || each == 0 || nodes * each > kMostShapes) return {};
    std::vector<CsvShape> out;
    for (const CsvShape& shape : everyNodes(layout.nodes))
      for (uint64_t i = 0; i < each; i++) {
        const uint64_t perNode = std::max<uint64_t>(layout.ranksPerNode.min, 1) + i;
        if (perNode > kNoLimit / *shape.nodes) return {};
        out.push_back({shape.nodes, *shape.nodes * perNode});
      }
    return out;
  }

  std::vector<CsvShape> everyNodes(const Range& nodes) {
    std::vector<CsvShape> out;
    for (uint64_t i = 0; i < width(nodes, kMostShapes); i++)
      out.push_back({std::max<uint64_t>(nodes.min, 1) + i, {}});
    return out;
  }

  void addTable(size_t t) {
    const Table& table = policy_.tables[t];
    const PolicyPlace at{.constant = {}, .table = t, .rule = {}, .choice = {}};
    if (table.rules.empty()) return;
    const std::vector<CsvShape> all = shapes(table.layout);
    if (all.empty())
      remark(at, "its layout cannot be said: a row has one number of nodes and one of ranks, or any; left out");
    for (const CsvShape& shape : all)
      for (size_t r = 0; r < table.rules.size(); r++) addRule(table, shape, {t, r});
  }

  void addRule(const Table& table, const CsvShape& shape, Origin origin) {
    const Rule& rule = table.rules[origin.rule];
    const PolicyPlace at{.constant = {}, .table = origin.table, .rule = origin.rule, .choice = {}};
    const bool everySize = rule.from == 0 && rule.to == kNoLimit;
    if (nccl::keyedPerRank(table.collective) && !shape.ranks && !everySize)
      return remark(at, "its sizes are per rank and the ranks are not known; left out");
    const Range ops = rule.pipeOps.value_or(Range{});
    const uint64_t count = rule.pipeOps ? (ops.max - ops.min < kMostPipeOps ? ops.max - ops.min + 1 : 0) : 1;
    if (count == 0) return remark(at, "its range of pipe_ops cannot be said: a row has one number, or any; left out");
    for (uint64_t i = 0; i < count; i++)
      addRows(table, shape, rule, rule.pipeOps ? std::optional(ops.min + i) : std::nullopt, origin);
  }

  // A row each choice: the example tuner goes on to the next where NCCL does not allow one.
  void addRows(const Table& table, const CsvShape& shape, const Rule& rule, std::optional<uint64_t> pipeOps,
               Origin origin) {
    const uint64_t unit = nccl::keyedPerRank(table.collective) ? shape.ranks.value_or(1) : 1;
    const auto total = [=](uint64_t size) { return size > kNoLimit / unit ? kNoLimit : size * unit; };
    CsvRow row;
    row.collective = table.collective;
    row.min = total(rule.from);
    row.max = rule.to == kNoLimit || total(rule.to) == kNoLimit ? kNoLimit : total(rule.to) - 1;
    row.nodes = shape.nodes;
    row.ranks = shape.ranks;
    row.pipeOps = pipeOps;
    row.regBuff = rule.regBuff;
    for (const Choice& choice : rule.choices) {
      row.choice = {choice.algorithm, choice.protocol, choice.channels, {}, {}};
      if (choice.channels && table.maxChannels) row.choice.channels = std::min(*choice.channels, *table.maxChannels);
      rows_.push_back(row);
      origins_.push_back(origin);
    }
  }

  // What no row has a column for, once each.
  void remarkTotals() {
    size_t chunks = 0, times = 0, evidence = 0;
    for (const Table& table : policy_.tables)
      for (const Rule& rule : table.rules) {
        evidence += rule.evidence ? 1 : 0;
        for (const Choice& choice : rule.choices) chunks += choice.chunkBytes ? 1 : 0, times += choice.time ? 1 : 0;
      }
    const auto note = [&](bool is, bool lost, const std::string& text) {
      if (is) out_.remarks.push_back({0, text, lost});
    };
    note(chunks > 0, true, fmt::format("chunk_bytes of {} choices left out", chunks));
    note(!policy_.constants.empty(), true, fmt::format("{} constants left out", policy_.constants.size()));
    note(times > 0, false, fmt::format("predicted times of {} choices left out", times));
    note(evidence > 0, false, fmt::format("evidence of {} rules left out", evidence));
    note(policy_.identity != Identity{} || !policy_.name.empty(), false, "name and identity left out");
  }

  // Where NCCL allows none of a rule's choices, a policy leaves it to NCCL; the CSV's reader goes on to later rows.
  void remarkTakeovers() {
    size_t found = 0, pairs = 0;
    std::string first;
    for (size_t i = 0; i < rows_.size() && pairs < kMostPairs; i++)
      for (size_t j = i + 1; j < rows_.size() && ++pairs < kMostPairs; j++) {
        if (origins_[j] == origins_[i] || !takesOver(rows_[i], rows_[j]) || hasChoice(origins_[i], rows_[j]))
          continue;
        if (found++ == 0) first = placeText(origins_[i]) + " and " + placeText(origins_[j]);
        break;
      }
    if (found == 0) return;
    out_.remarks.push_back(
        {0, fmt::format("where NCCL allows none of a rule's choices, the CSV goes on to later rows and "
                        "a policy does not: {} rows, first of {}",
                        found, first)});
  }

  static bool takesOver(const CsvRow& a, const CsvRow& b) {
    const auto meet = [](const auto& x, const auto& y) { return !x || !y || *x == *y; };
    return a.collective == b.collective && a.min <= b.max && b.min <= a.max && meet(a.nodes, b.nodes) &&
           meet(a.ranks, b.ranks) && meet(a.pipeOps, b.pipeOps) && meet(a.regBuff, b.regBuff);
  }

  // A later row that only repeats one of the rule's own choices changes nothing.
  bool hasChoice(Origin origin, const CsvRow& row) const {
    const std::vector<Choice>& own = policy_.tables[origin.table].rules[origin.rule].choices;
    return std::any_of(own.begin(), own.end(), [&](const Choice& c) {
      return c.algorithm == row.choice.algorithm && c.protocol == row.choice.protocol;
    });
  }

  static std::string placeText(Origin o) {
    return PolicyPlace{.constant = {}, .table = o.table, .rule = o.rule, .choice = {}}.text();
  }

  const Policy& policy_;
  CsvExport out_;
  std::vector<CsvRow> rows_;
  std::vector<Origin> origins_;
};

}  // namespace

CsvExport exportCsv(const Policy& policy) { return Exporter(policy).run(); }

}  // namespace polyrail
