// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/print.h"

#include <fmt/format.h>

#include "cli/explain/no_match.h"
#include "cli/explain/notes.h"
#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

std::string time(std::optional<double> us) { return us ? humanTime(*us) : "-"; }
std::string number(int n) { return n == 0 ? "-" : std::to_string(n); }

std::string percent(double fraction) { return fmt::format("{:+.1f} %", 100 * fraction); }

// How much longer than the best, "" for the best itself or when one is not known; 0 is an unknown best.
std::string behind(std::optional<double> us, double best) {
  return us && best > 0 && *us != best ? percent(*us / best - 1) : "";
}

std::string sizeOf(const ExplainQuestion& q) {
  std::string text = humanBytes(q.totalBytes);
  if (nccl::keyedPerRank(q.collective)) text += fmt::format(" ({} a rank)", humanBytes(q.totalBytes / q.shape.ranks));
  return text;
}

void printQuestion(const Explanation& e, const PolicyLabel& policy, std::FILE* out) {
  const ExplainQuestion& q = *e.question;
  fmt::print(out, "Asked     {}, {}, {} ranks on {}, {} in a group; NCCL {} (tuner ABI v{})\n", name(q.collective),
             sizeOf(q), q.shape.ranks, counted(q.shape.nodes, "node"), q.pipeOps, nccl::versionText(q.version),
             q.shape.abi);
  fmt::print(out, "Policy    {} (sha256 {:.12}){}{}\n", policy.path, policy.digest, policy.name.empty() ? "" : ", ",
             policy.name);
}

std::string channelsText(int set, const nccl::ChannelPlan& plan) {
  const std::string run = counted(static_cast<uint64_t>(plan.running), "channel");
  return set == 0 ? run + " (NCCL's number)" : fmt::format("{} of {} asked for", run, set);
}

void printAnswer(const Explanation& e, std::FILE* out) {
  if (const ChoiceView* taken = e.chosen()) {
    fmt::print(out, "Chosen    {}, {}; predicted {}\n", entryName(taken->choice->algorithm, taken->choice->protocol),
               channelsText(taken->setChannels, taken->channels), time(taken->predictedUs));
    return;
  }
  fmt::print(out, "Chosen    nothing: NCCL decides by itself\n");
  if (e.outcome == Outcome::kNotAllowed) fmt::print(out, "Because   NCCL allows none of the rule's choices\n");
  for (const std::string& miss : e.nearest) fmt::print(out, "Because   {}\n", miss);
}

void printRule(const Explanation& e, std::FILE* out) {
  if (e.rule == nullptr) return;
  const Rule& r = *e.rule;
  fmt::print(out, "Rule      tables[{}].rules[{}]: {}{}, for {}\n", e.origin->table, e.origin->rule,
             describeSizes(r.from, r.to), nccl::keyedPerRank(e.table->collective) ? " a rank" : "",
             describeLayout(e.table->layout));
  if (!r.evidence) {
    fmt::print(out, "Evidence  none stated\n");
    return;
  }
  const Evidence& v = *r.evidence;
  fmt::print(out,
             "Evidence  {:.1f} % less time than NCCL's default ({:.0f} % interval {:.1f}..{:.1f} %), {} samples, {} "
             "choices compared, {:.1f} % detectable, #wrong {}\n",
             100 * v.gain, 100 * v.confidence, 100 * v.gainLow, 100 * v.gainHigh, v.samples, v.candidates,
             100 * v.minimumDetectable, v.wrong ? std::to_string(*v.wrong) : "never checked");
}

void printDefault(const Explanation& e, std::FILE* out) {
  if (!e.ncclDefault) {
    fmt::print(out, "NCCL      by itself: {}\n",
               e.question->table == nullptr ? "not known (--log FILE with NCCL_DEBUG_SUBSYS=TUNING tells)"
                                            : "nothing is allowed for this collective");
    return;
  }
  fmt::print(out, "NCCL      by itself: {}, {}; its model says {}\n",
             entryName(e.ncclDefault->algorithm, e.ncclDefault->protocol), channelsText(0, e.defaultChannels),
             humanTime(static_cast<double>(e.ncclDefault->timeUs)));
}

Cell verdictCell(const nccl::GateAnswer& gate) {
  if (gate.verdict == nccl::Verdict::kAllowed) return {"allowed", Tone::kGood};
  const bool refused = gate.verdict == nccl::Verdict::kRefused;
  return {fmt::format("{}: {}", refused ? "refused" : "depends", gate.why), refused ? Tone::kBad : Tone::kDim};
}

void printChoices(const Explanation& e, std::FILE* out) {
  if (e.choices.empty()) return;
  const ChoiceView* taken = e.chosen();
  const double best = taken != nullptr ? taken->predictedUs.value_or(0) : 0;
  Table table({{"CHOICE"},
               {"SET", Align::kRight},
               {"RUN", Align::kRight},
               {"POLICY", Align::kRight},
               {"BEHIND", Align::kRight},
               {"NCCL", Align::kRight},
               {"NCCL'S VERDICT"}});
  for (size_t i = 0; i < e.choices.size(); i++) {
    const ChoiceView& c = e.choices[i];
    const std::string label =
        fmt::format("{} {}{}", i + 1, entryName(c.choice->algorithm, c.choice->protocol), c.taken ? " *" : "");
    table.add({{label, c.taken ? Tone::kGood : Tone::kPlain},
               number(c.setChannels),
               std::to_string(c.channels.running),
               time(c.predictedUs),
               behind(c.predictedUs, best),
               time(c.entry.ncclUs),
               verdictCell(c.entry.gate)});
  }
  fmt::print(out, "\n");
  table.print(out, wantsColour(out));
}

// Without NCCL's table there are no times to show, and what is simply allowed is no news.
void printEntries(const Explanation& e, std::FILE* out) {
  const bool timed = e.question->table != nullptr;
  const double best = e.ncclDefault ? static_cast<double>(e.ncclDefault->timeUs) : 0;
  Table table(
      timed ? std::vector<Column>{{"ENTRY"}, {"NCCL", Align::kRight}, {"BEHIND", Align::kRight}, {"NCCL'S VERDICT"}}
            : std::vector<Column>{{"ENTRY"}, {"NCCL'S VERDICT"}});
  for (const EntryView& v : e.entries) {
    const std::string entry = entryName(v.algorithm, v.protocol);
    if (timed)
      table.add({entry, time(v.ncclUs), behind(v.ncclUs, best), verdictCell(v.gate)});
    else if (v.gate.verdict != nccl::Verdict::kAllowed)
      table.add({entry, verdictCell(v.gate)});
  }
  if (table.empty()) return;
  fmt::print(out, "\n");
  table.print(out, wantsColour(out));
}

}  // namespace

const char* outcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDecided: return "decided";
    case Outcome::kNotAllowed: return "not allowed";
    case Outcome::kGuarded: return "guarded";
    default: return "no rule";
  }
}

void printExplanation(const Explanation& e, const PolicyLabel& policy, std::FILE* out) {
  printQuestion(e, policy, out);
  printAnswer(e, out);
  printRule(e, out);
  printDefault(e, out);
  for (const std::string& note : e.notes) fmt::print(out, "Note      {}\n", note);
  printChoices(e, out);
  printEntries(e, out);
}

}  // namespace polyrail::cli
