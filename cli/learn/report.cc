// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/report.h"

#include <fmt/format.h>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

std::string describe(const Choice& c) { return describe(std::optional(Arm{c.algorithm, c.protocol, c.channels})); }

std::string layout(uint64_t ranks, uint64_t nodes) {
  return fmt::format("{} ranks on {} node{}", ranks, nodes, nodes == 1 ? "" : "s");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

void addDecision(Table& table, const Decision& d) {
  const std::string sizes = fmt::format("{} .. {}", humanBytes(d.bytes.from), humanBytes(d.bytes.to));
  if (!d.rule) {
    table.add({sizes, {"default", Tone::kDim}, "", "", "", {d.reason, Tone::kDim}});
    return;
  }
  const Evidence& e = *d.rule->evidence;
  std::string then;
  for (size_t i = 1; i < d.rule->choices.size(); i++)
    then += (i == 1 ? "else " : ", ") + describe(d.rule->choices[i]);
  table.add({sizes,
             {describe(d.rule->choices[0]), Tone::kGood},
             percent(e.gain),
             fmt::format("{} .. {}", percent(e.gainLow), percent(e.gainHigh)),
             std::to_string(e.samples),
             {then, Tone::kDim}});
}

bool sameSweep(const Decision& a, const Decision& b) {
  return a.collective == b.collective && a.ranks == b.ranks && a.nodes == b.nodes;
}

void printInversions(const std::vector<Inversion>& inversions) {
  if (inversions.empty()) return;
  fmt::print("\nNCCL's default is slower for a smaller message here; some choice must be better:\n");
  for (const Inversion& i : inversions)
    fmt::print("  {} on {}: {} takes {}, {} takes {}\n", nccl::name(i.collective), layout(i.ranks, i.nodes),
               humanBytes(i.size), humanTime(i.us), humanBytes(i.larger), humanTime(i.largerUs));
}

nlohmann::ordered_json asJson(const Decision& d) {
  nlohmann::ordered_json one = {{"collective", nccl::name(d.collective)},
                                {"ranks", d.ranks},
                                {"nodes", d.nodes},
                                {"from", d.bytes.from},
                                {"to", d.bytes.to},
                                {"choice", nullptr}};
  if (d.rule) {
    const Evidence& e = *d.rule->evidence;
    one["choice"] = describe(d.rule->choices[0]);
    one["fallbacks"] = nlohmann::ordered_json::array();
    for (size_t i = 1; i < d.rule->choices.size(); i++) one["fallbacks"].push_back(describe(d.rule->choices[i]));
    one["gain"] = e.gain, one["gain_low"] = e.gainLow, one["gain_high"] = e.gainHigh;
    one["minimum_detectable"] = e.minimumDetectable;
    one["samples"] = e.samples, one["candidates"] = e.candidates;
  }
  one["reason"] = d.reason;
  return one;
}

}  // namespace

void printLearned(const Learned& learned, bool colour) {
  const std::vector<Decision>& all = learned.decisions;
  for (size_t i = 0; i < all.size();) {
    const Decision& head = all[i];
    fmt::print("\n{} on {}, {}\n", nccl::name(head.collective), layout(head.ranks, head.nodes),
               nccl::keyedPerRank(head.collective) ? "by bytes per rank" : "by total bytes");
    Table table({{"  SIZES", Align::kRight},
                 {"CHOICE"},
                 {"SAVES", Align::kRight},
                 {"FOR CERTAIN", Align::kRight},
                 {"TIMES", Align::kRight},
                 {""}});
    for (; i < all.size() && sameSweep(head, all[i]); i++) addDecision(table, all[i]);
    table.print(stdout, colour);
  }
  printInversions(learned.inversions);
}

nlohmann::ordered_json asJson(const Learned& learned) {
  nlohmann::ordered_json decisions = nlohmann::ordered_json::array(), inversions = nlohmann::ordered_json::array();
  for (const Decision& d : learned.decisions) decisions.push_back(asJson(d));
  for (const Inversion& i : learned.inversions)
    inversions.push_back({{"collective", nccl::name(i.collective)},
                          {"ranks", i.ranks},
                          {"nodes", i.nodes},
                          {"size", i.size},
                          {"us", i.us},
                          {"larger", i.larger},
                          {"larger_us", i.largerUs}});
  return {{"decisions", decisions}, {"inversions", inversions}};
}

}  // namespace polyrail::cli
