// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "cli/output/table.h"
#include "cli/output/units.h"

namespace polyrail::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share + 0.0); }

std::string titleOf(nccl::Collective collective, const Layout& layout) {
  return fmt::format("{} on {} {} x {} ranks", nccl::name(collective), layout.nodes,
                     layout.nodes == 1 ? "node" : "nodes", layout.ranksPerNode);
}

std::string driftText(const FieldFindings& f) {
  const char* verdict = std::abs(f.drift) > std::max(3 * f.noise, 0.02) ? "; the machine has changed meanwhile" : "";
  return fmt::format("NCCL's default was {} {} at the end than at the start (from run to run it moves by {}){}",
                     percent(std::abs(f.drift)), f.drift > 0 ? "slower" : "faster", percent(f.noise), verdict);
}

void printBest(const FieldFindings& f) {
  cli::Table table({{"size", cli::Align::kRight},
                    {"default", cli::Align::kRight},
                    {"least", cli::Align::kRight},
                    {"of", cli::Align::kLeft}});
  for (size_t s = 0; s < f.sizes.size(); s++)
    table.add({cli::humanBytes(f.sizes[s]), cli::humanTime(f.defaultUs[s]), cli::humanTime(f.bestUs[s]),
               cli::describe(f.best[s])});
  table.print(stdout, cli::wantsColour(stdout));
}

void printField(const FieldFindings& f) {
  fmt::print("{}\n", titleOf(f.collective, f.layout));
  if (!f.unusable.empty()) return fmt::print("  nothing to compare with: NCCL's default failed: {}\n\n", f.unusable);
  printBest(f);
  fmt::print("  {} runs, {} failed; {} of the full grid measured ({} of {} times)\n  {}\n", f.runs, f.failures,
             percent(f.coverage.share()), f.coverage.measured, f.coverage.grid, driftText(f));
  for (const GivenUp& g : f.givenUp) fmt::print("  given up: {}: {}\n", cli::describe(g.arm), g.reason);
  fmt::print("\n");
}

constexpr const char* kChanges[] = {"faster", "within noise", "slower"};
constexpr cli::Tone kTones[] = {cli::Tone::kGood, cli::Tone::kDim, cli::Tone::kBad};

void printVerifiedField(const VerifiedField& f) {
  fmt::print("{}\n", titleOf(f.collective, f.layout));
  if (!f.unusable.empty()) return fmt::print("  not verified: {}\n\n", f.unusable);
  cli::Table table({{"size", cli::Align::kRight},
                    {"default", cli::Align::kRight},
                    {"policy", cli::Align::kRight},
                    {"saved", cli::Align::kRight},
                    {"between", cli::Align::kRight},
                    {"and", cli::Align::kRight},
                    {"verdict", cli::Align::kLeft},
                    {"default ran", cli::Align::kLeft},
                    {"policy ran", cli::Align::kLeft}});
  for (const VerifiedSize& s : f.sizes) {
    const size_t change = static_cast<size_t>(s.change);
    table.add({cli::humanBytes(s.bytes),
               cli::humanTime(s.defaultUs),
               cli::humanTime(s.policyUs),
               percent(s.saved),
               percent(s.low),
               percent(s.high),
               {kChanges[change], kTones[change]},
               s.byDefault,
               s.choice});
  }
  table.print(stdout, cli::wantsColour(stdout));
  fmt::print("\n");
}

Json toJson(const FieldFindings& f) {
  Json sizes = Json::array(), givenUp = Json::array();
  for (size_t s = 0; s < f.sizes.size() && f.unusable.empty(); s++)
    sizes.push_back({{"bytes", f.sizes[s]},
                     {"default_us", f.defaultUs[s]},
                     {"least_us", f.bestUs[s]},
                     {"least", cli::describe(f.best[s])}});
  for (const GivenUp& g : f.givenUp) givenUp.push_back({{"arm", cli::describe(g.arm)}, {"reason", g.reason}});
  return {{"collective", nccl::name(f.collective)},
          {"nodes", f.layout.nodes},
          {"ranks_per_node", f.layout.ranksPerNode},
          {"unusable", f.unusable},
          {"sizes", sizes},
          {"given_up", givenUp},
          {"runs", f.runs},
          {"failures", f.failures},
          {"measured", f.coverage.measured},
          {"grid", f.coverage.grid},
          {"drift", f.drift},
          {"noise", f.noise}};
}

Json toJson(const VerifiedField& f) {
  Json sizes = Json::array();
  for (const VerifiedSize& s : f.sizes)
    sizes.push_back({{"bytes", s.bytes},
                     {"default_us", s.defaultUs},
                     {"policy_us", s.policyUs},
                     {"saved", s.saved},
                     {"low", s.low},
                     {"high", s.high},
                     {"verdict", kChanges[static_cast<size_t>(s.change)]},
                     {"default_ran", s.byDefault},
                     {"policy_ran", s.choice}});
  return {{"collective", nccl::name(f.collective)},
          {"nodes", f.layout.nodes},
          {"ranks_per_node", f.layout.ranksPerNode},
          {"unusable", f.unusable},
          {"slower", f.slower()},
          {"sizes", sizes}};
}

std::string stepText(const Step& s) {
  return fmt::format(
      "{}: {}{}, about {} left", s.what, s.answer->entry.outcome,
      s.answer->ok() ? fmt::format(" in {:.1f} s", s.answer->entry.seconds) : ": " + s.answer->entry.reason,
      s.secondsLeft < 90 ? fmt::format("{:.0f} s", s.secondsLeft) : fmt::format("{:.0f} min", s.secondsLeft / 60));
}

}  // namespace

void printFindings(const Findings& findings) {
  for (const FieldFindings& f : findings.fields) printField(f);
  if (findings.recalled > 0) fmt::print("{} of the runs were done before and only read again.\n", findings.recalled);
}

void printVerified(const std::vector<VerifiedField>& fields) {
  for (const VerifiedField& f : fields) printVerifiedField(f);
}

Json toJson(const Findings& findings) {
  Json fields = Json::array();
  for (const FieldFindings& f : findings.fields) fields.push_back(toJson(f));
  return {{"fields", fields}, {"recalled", findings.recalled}};
}

Json toJson(const std::vector<VerifiedField>& fields) {
  Json out = Json::array();
  for (const VerifiedField& f : fields) out.push_back(toJson(f));
  return out;
}

std::function<void(const Step&)> stepTeller() {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  return [terminal](const Step& step) {
    const bool stays = !terminal || !step.answer->ok();
    fmt::print(stderr, "{}polyrail sweep: {}{}", terminal ? "\r\x1b[K" : "", stepText(step), stays ? "\n" : "");
  };
}

}  // namespace polyrail::sweep
