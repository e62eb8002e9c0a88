// SPDX-License-Identifier: Apache-2.0
#include "cli/explain/no_match.h"
#include "cli/explain/notes.h"
#include "cli/explain/print.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const char* verdictName(nccl::Verdict v) {
  return v == nccl::Verdict::kAllowed ? "allowed" : v == nccl::Verdict::kRefused ? "refused" : "depends";
}

Json asked(const ExplainQuestion& q) {
  Json json = {{"collective", name(q.collective)}, {"bytes", q.totalBytes}};
  if (nccl::keyedPerRank(q.collective)) json["bytes_per_rank"] = q.totalBytes / q.shape.ranks;
  json["ranks"] = q.shape.ranks;
  json["nodes"] = q.shape.nodes;
  if (q.shape.nvl)
    json["nvl_domains"] = {
        {"count", q.shape.nvl->count}, {"min_ranks", q.shape.nvl->minRanks}, {"max_ranks", q.shape.nvl->maxRanks}};
  json["pipe_ops"] = q.pipeOps;
  json["registered"] = q.registered == Registered::kUnknown ? Json(nullptr) : Json(q.registered == Registered::kYes);
  json["nccl"] = nccl::versionText(q.version);
  json["tuner_abi"] = q.shape.abi;
  return json;
}

Json channels(int set, const nccl::ChannelPlan& plan) {
  return {
      {"set", set}, {"model", plan.model}, {"running", plan.running}, {"bytes_per_channel", plan.bytesPerChannel}};
}

Json entryJson(const EntryView& v) {
  return {{"algorithm", name(v.algorithm)},
          {"protocol", name(v.protocol)},
          {"nccl_us", orNull(v.ncclUs)},
          {"verdict", verdictName(v.gate.verdict)},
          {"why", v.gate.why}};
}

Json choiceJson(const ChoiceView& c) {
  Json json = entryJson(c.entry);
  json["predicted_us"] = orNull(c.predictedUs);
  json["channels"] = channels(c.setChannels, c.channels);
  json["chunk_bytes"] = orNull(c.choice->chunkBytes);
  json["chosen"] = c.taken;
  return json;
}

Json evidenceJson(const std::optional<Evidence>& e) {
  if (!e) return nullptr;
  return {{"gain", e->gain},
          {"gain_low", e->gainLow},
          {"gain_high", e->gainHigh},
          {"confidence", e->confidence},
          {"minimum_detectable", e->minimumDetectable},
          {"samples", e->samples},
          {"candidates", e->candidates},
          {"wrong", orNull(e->wrong)}};
}

Json ruleJson(const Explanation& e) {
  if (e.rule == nullptr) return nullptr;
  return {{"table", e.origin->table},
          {"rule", e.origin->rule},
          {"from", e.rule->from},
          {"to", e.rule->to == kNoLimit ? Json(nullptr) : Json(e.rule->to)},
          {"layout", describeLayout(e.table->layout)},
          {"evidence", evidenceJson(e.rule->evidence)}};
}

Json defaultJson(const Explanation& e) {
  if (!e.ncclDefault) return nullptr;
  return {{"algorithm", name(e.ncclDefault->algorithm)},
          {"protocol", name(e.ncclDefault->protocol)},
          {"model_us", e.ncclDefault->timeUs},
          {"close_call", e.ncclDefault->closeCall},
          {"channels", channels(0, e.defaultChannels)}};
}

}  // namespace

Json explanationJson(const Explanation& e, const PolicyLabel& policy) {
  Json json = {{"asked", asked(*e.question)},
               {"policy", {{"path", policy.path}, {"sha256", policy.digest}, {"name", policy.name}}},
               {"outcome", outcomeName(e.outcome)}};
  const ChoiceView* taken = e.chosen();
  json["chosen"] = taken != nullptr ? choiceJson(*taken) : Json(nullptr);
  json["rule"] = ruleJson(e);
  json["nccl_default"] = defaultJson(e);
  json["pool"] = {{"channels", e.pool}, {"known", e.poolKnown}};
  json["nearest"] = e.nearest;
  json["notes"] = e.notes;
  json["choices"] = Json::array();
  for (const ChoiceView& c : e.choices) json["choices"].push_back(choiceJson(c));
  json["entries"] = Json::array();
  for (const EntryView& v : e.entries) json["entries"].push_back(entryJson(v));
  return json;
}

}  // namespace polyrail::cli
