// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/notes.h"

#include <fmt/format.h>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

using Notes = std::vector<std::string>;

const ChoiceView* after(const Explanation& e, const ChoiceView* view) {
  const size_t next = static_cast<size_t>(view - e.choices.data()) + 1;
  return next < e.choices.size() ? &e.choices[next] : nullptr;
}

std::string nameOf(const ChoiceView& view) { return entryName(view.choice->algorithm, view.choice->protocol); }

void noteAssumption(const Explanation& e, const ChoiceView& taken, Notes& notes) {
  if (taken.entry.gate.verdict != nccl::Verdict::kDepends || e.question->shape.abi <= 2) return;
  const ChoiceView* next = after(e, &taken);
  notes.push_back(fmt::format("assumes that NCCL allows {} here: {}; otherwise {} (--log shows what NCCL allows)",
                              nameOf(taken), taken.entry.gate.why,
                              next != nullptr ? "the next choice is tried" : "NCCL's own choice stands"));
}

// What a number of channels is not limited for (tuner/channels.h), in the case that keeps the plugin from setting
// one.
const char* unlimited(const Explanation& e, const ChoiceView& taken) {
  if (nccl::isCollNet(taken.choice->algorithm)) return "CollNet";
  if (taken.choice->algorithm == nccl::Algorithm::kNvls) return "NVLS between nodes";
  return e.question->collective == nccl::Collective::kAllGather
             ? "grouped broadcasts, which ask as AllGather (options.allgather_channels),"
             : "this";
}

void noteUnsetChannels(const Explanation& e, const ChoiceView& taken, Notes& notes) {
  const std::optional<int> wanted = taken.choice->channels;
  if (!wanted || *wanted == taken.setChannels) return;
  if (taken.setChannels > 0) {
    notes.push_back(fmt::format("the rule wants {} channels, but its table was measured with a pool of {}", *wanted,
                                taken.setChannels));
    return;
  }
  notes.push_back(fmt::format("the rule's {} channels are not set: NCCL does not limit {} to the channels that exist",
                              *wanted, unlimited(e, taken)));
}

void noteUnreached(const ChoiceView& taken, Notes& notes) {
  const nccl::ChannelPlan& plan = taken.channels;
  if (taken.setChannels == 0 || plan.running >= taken.setChannels) return;
  if (plan.limit < taken.setChannels) {
    notes.push_back(fmt::format("asks for {} channels of a pool of {}", taken.setChannels, plan.limit));
  }
  if (plan.running >= plan.limit || plan.bytesPerChannel == 0) return;
  notes.push_back(
      fmt::format("asks for {} channels, {} run: NCCL gives each at least {} of this size, so {} need more than {}",
                  plan.limit, plan.running, humanBytes(plan.bytesPerChannel), plan.limit,
                  humanBytes(plan.bytesPerChannel * static_cast<uint64_t>(plan.limit - 1))));
}

void noteUnclamped(const Explanation& e, const ChoiceView& taken, Notes& notes) {
  if (taken.channels.clamped || taken.setChannels <= e.pool) return;
  notes.push_back(fmt::format("DANGER: NCCL runs {} on {} channels although only {} exist", nameOf(taken),
                              taken.setChannels, e.pool));
}

void noteChunk(const Explanation& e, const ChoiceView& taken, Notes& notes) {
  if (taken.choice->chunkBytes && e.question->shape.abi < 6)
    notes.push_back("the rule's chunk size is not used: NCCL asks for it from 2.30 on");
}

void noteLl128(const Explanation& e, nccl::Protocol p, Notes& notes) {
  const bool forced = e.question->filter.gate(e.question->collective, p) == nccl::EnvFilter::Gate::kOn;
  if (p == nccl::Protocol::kLl128 && forced)
    notes.push_back(
        "DANGER: NCCL_PROTO switches off NCCL's own check of LL128; where links do not keep 128-byte stores "
        "together results are silently wrong");
}

void noteTaken(const Explanation& e, const ChoiceView& taken, Notes& notes) {
  noteUnclamped(e, taken, notes);
  noteLl128(e, taken.choice->protocol, notes);
  noteAssumption(e, taken, notes);
  noteUnsetChannels(e, taken, notes);
  noteUnreached(taken, notes);
  noteChunk(e, taken, notes);
}

}  // namespace

std::string entryName(nccl::Algorithm a, nccl::Protocol p) { return fmt::format("{}/{}", name(a), name(p)); }

Notes explanationNotes(const Explanation& e) {
  Notes notes;
  const ExplainQuestion& q = *e.question;
  if (const ChoiceView* taken = e.chosen()) noteTaken(e, *taken, notes);
  if (e.outcome == Outcome::kGuarded)
    notes.push_back(
        "NCCL keeps this collective off Ring to save precision (8-bit floats on more than 8 ranks), so the "
        "plugin leaves it alone");
  if (q.shape.abi == 2)
    notes.push_back(
        "NCCL 2.21 checks nothing, so the plugin chooses Ring, or Tree for AllReduce, "
        "with LL or Simple only");
  for (const std::string& word : q.filter.ignored)
    notes.push_back(fmt::format("NCCL before 2.24 ignores {}, and knows no lists per collective", word));
  if (!q.tableOrigin.empty()) notes.push_back(fmt::format("the log's cost table is of a run {}", q.tableOrigin));
  if (e.ncclDefault && e.ncclDefault->closeCall)
    notes.push_back("NCCL's own choice is a close call: the log's table is printed to one decimal");
  if (!e.poolKnown && (e.rule != nullptr || e.ncclDefault))
    notes.push_back(fmt::format("the communicator's channels are not known (--pool, --log): {} assumed", e.pool));
  return notes;
}

}  // namespace polyrail::cli
