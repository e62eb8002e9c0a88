// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/output/table.h"
#include "cli/output/units.h"

namespace polyrail::cli {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share + 0.0); }

void addSummary(Table& table, const std::string& name, const std::vector<EvalCell>& cells) {
  const EvalSummary s = summarise(cells);
  const std::string rules = fmt::format("{}/{}", s.covered, s.cells);
  if (s.policy.count == 0) {
    table.add({name, rules, "not known"});
    return;
  }
  table.add({name,
             rules,
             percent(s.policy.mean),
             percent(s.policy.p95),
             percent(s.policy.max),
             percent(s.byDefault.mean),
             percent(s.byDefault.p95),
             percent(s.byDefault.max),
             {percent(s.saved), s.saved > 0.005    ? Tone::kGood
                                : s.saved < -0.005 ? Tone::kBad
                                                   : Tone::kPlain},
             {percent(s.worstOverDefault), s.worstOverDefault > 0.02 ? Tone::kBad : Tone::kPlain}});
}

Table summaryTable(const char* title) {
  return Table({{title},
                {"RULED", Align::kRight},
                {"POLICY: MEAN", Align::kRight},
                {"P95", Align::kRight},
                {"MAX", Align::kRight},
                {"DEFAULT: MEAN", Align::kRight},
                {"P95", Align::kRight},
                {"MAX", Align::kRight},
                {"SAVES", Align::kRight},
                {"WORST LOSS", Align::kRight}});
}

std::string time(double us) { return std::isnan(us) ? "-" : humanTime(us); }

void printCells(const std::vector<EvalCell>& cells, bool colour) {
  Table table({{"COLLECTIVE"},
               {"RANKS", Align::kRight},
               {"NODES", Align::kRight},
               {"SIZE", Align::kRight},
               {"DEFAULT", Align::kRight},
               {"POLICY", Align::kRight},
               {"CHOICE"},
               {"BEST", Align::kRight},
               {"WHICH IS"}});
  for (const EvalCell& c : cells)
    table.add({std::string(nccl::name(c.collective)), std::to_string(c.ranks), std::to_string(c.nodes),
               humanBytes(c.size), time(c.defaultUs), time(c.policyUs), describe(c.chosen), time(c.bestUs),
               describe(c.best)});
  fmt::print("\n");
  table.print(stdout, colour);
}

nlohmann::ordered_json number(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json asJson(const Spread& s) {
  return {{"count", s.count}, {"mean", s.mean}, {"p95", s.p95}, {"max", s.max}};
}

nlohmann::ordered_json asJson(const EvalSummary& s) {
  return {{"cells", s.cells},
          {"covered", s.covered},
          {"unmeasured", s.unmeasured},
          {"regret", asJson(s.policy)},
          {"default_regret", asJson(s.byDefault)},
          {"saved", s.saved},
          {"worst_over_default", s.worstOverDefault}};
}

nlohmann::ordered_json asJson(const std::vector<EvalGroup>& groups) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const EvalGroup& group : groups) {
    nlohmann::ordered_json one = {{"name", group.name}};
    one.update(asJson(summarise(group.cells)));
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::ordered_json asJson(const EvalCell& c) {
  return {{"collective", nccl::name(c.collective)},
          {"ranks", c.ranks},
          {"nodes", c.nodes},
          {"size", c.size},
          {"covered", c.covered},
          {"choice", describe(c.chosen)},
          {"best", describe(c.best)},
          {"default_us", number(c.defaultUs)},
          {"policy_us", number(c.policyUs)},
          {"best_us", number(c.bestUs)}};
}

}  // namespace

void printEvaluation(const Evaluation& e, bool everyCell, bool colour) {
  fmt::print("Regret: by how much a choice takes longer than the best measured one.\n\n");
  Table table = summaryTable("MEASURED");
  for (const EvalGroup& group : byLayout(e.cells)) addSummary(table, group.name, group.cells);
  addSummary(table, "all", e.cells);
  table.print(stdout, colour);

  fmt::print("\n");
  Table sizes = summaryTable("BY SIZE");
  for (const EvalGroup& group : bySize(e.cells)) addSummary(sizes, group.name, group.cells);
  sizes.print(stdout, colour);

  if (!e.withoutSizes.empty() || !e.withoutShapes.empty()) {
    fmt::print("\n");
    Table out = summaryTable("LEARNED WITHOUT");
    if (!e.withoutSizes.empty()) addSummary(out, "the size judged", e.withoutSizes);
    if (!e.withoutShapes.empty()) addSummary(out, "the node count judged", e.withoutShapes);
    out.print(stdout, colour);
  }
  if (everyCell) printCells(e.cells, colour);
  const size_t unmeasured = summarise(e.cells).unmeasured;
  if (unmeasured > 0)
    fmt::print("\nAt {} sizes the policy's choice was not measured; they do not count.\n", unmeasured);
}

nlohmann::ordered_json asJson(const Evaluation& e) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (const EvalCell& cell : e.cells) cells.push_back(asJson(cell));
  nlohmann::ordered_json all = {{"all", asJson(summarise(e.cells))},
                                {"by_layout", asJson(byLayout(e.cells))},
                                {"by_size", asJson(bySize(e.cells))}};
  if (!e.withoutSizes.empty()) all["without_size"] = asJson(summarise(e.withoutSizes));
  if (!e.withoutShapes.empty()) all["without_node_count"] = asJson(summarise(e.withoutShapes));
  all["cells"] = cells;
  return all;
}

}  // namespace polyrail::cli
