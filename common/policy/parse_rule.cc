// SPDX-License-Identifier: Apache-2.0
#include "common/policy/parse_rule.h"

#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

constexpr Field<TimeModel> kTimeFields[] = {
    {"base_us", kRequired, [](FieldReader& in, const JsonNode& n, TimeModel& t) { t.baseUs = in.number(n); }},
    {"us_per_mib", kRequired, [](FieldReader& in, const JsonNode& n, TimeModel& t) { t.usPerMib = in.number(n); }},
};

constexpr Field<Choice> kChoiceFields[] = {
    {"algorithm", kRequired,
     [](FieldReader& in, const JsonNode& n, Choice& c) {
       c.algorithm = in.word<nccl::Algorithm>(n, nccl::parseAlgorithm, nccl::name, nccl::kNumAlgorithms);
     }},
    {"protocol", kRequired,
     [](FieldReader& in, const JsonNode& n, Choice& c) {
       c.protocol = in.word<nccl::Protocol>(n, nccl::parseProtocol, nccl::name, nccl::kNumProtocols);
     }},
    {"channels", kOptional, [](FieldReader& in, const JsonNode& n, Choice& c) { c.channels = in.smallWhole(n); }},
    {"chunk_bytes", kOptional, [](FieldReader& in, const JsonNode& n, Choice& c) { c.chunkBytes = in.bytes(n); }},
    {"time", kOptional,
     [](FieldReader& in, const JsonNode& n, Choice& c) { in.object<TimeModel>(n, kTimeFields, c.time.emplace()); }},
};

void readInterval(FieldReader& in, const JsonNode& n, Evidence& e) {
  const JsonNode* low = in.tree().element(n, 0);
  const JsonNode* high = in.tree().element(n, 1);
  if (!low || !high || in.tree().element(n, 2)) return in.fail(n, "must be [low, high]");
  e.gainLow = in.number(*low);
  e.gainHigh = in.number(*high);
}

void readWrong(FieldReader& in, const JsonNode& n, Evidence& e) {
  if (n.kind != JsonKind::kNull) e.wrong = in.whole(n);
}

constexpr Field<Evidence> kEvidenceFields[] = {
    {"gain", kRequired, [](FieldReader& in, const JsonNode& n, Evidence& e) { e.gain = in.number(n); }},
    {"gain_ci", kRequired, readInterval},
    {"confidence", kOptional, [](FieldReader& in, const JsonNode& n, Evidence& e) { e.confidence = in.number(n); }},
    {"minimum_detectable", kOptional,
     [](FieldReader& in, const JsonNode& n, Evidence& e) { e.minimumDetectable = in.number(n); }},
    {"samples", kOptional, [](FieldReader& in, const JsonNode& n, Evidence& e) { e.samples = in.whole(n); }},
    {"candidates", kOptional, [](FieldReader& in, const JsonNode& n, Evidence& e) { e.candidates = in.whole(n); }},
    {"wrong", kOptional, readWrong},
    {"ll128_default", kOptional,
     [](FieldReader& in, const JsonNode& n, Evidence& e) { e.ll128Default = in.boolean(n); }},
};

void readTo(FieldReader& in, const JsonNode& n, Rule& r) {
  r.to = n.kind == JsonKind::kNull ? kNoLimit : in.bytes(n);
}

void readChoices(FieldReader& in, const JsonNode& n, Rule& r) {
  in.list(n, kMaxChoices, [&](const JsonNode& c) { in.object<Choice>(c, kChoiceFields, r.choices.emplace_back()); });
}

constexpr Field<Rule> kRuleFields[] = {
    {"from", kRequired, [](FieldReader& in, const JsonNode& n, Rule& r) { r.from = in.bytes(n); }},
    {"to", kRequired, readTo},
    {"pipe_ops", kOptional, [](FieldReader& in, const JsonNode& n, Rule& r) { r.pipeOps = in.range(n); }},
    {"reg_buff", kOptional, [](FieldReader& in, const JsonNode& n, Rule& r) { r.regBuff = in.boolean(n); }},
    {"choices", kRequired, readChoices},
    {"evidence", kOptional,
     [](FieldReader& in, const JsonNode& n, Rule& r) {
       in.object<Evidence>(n, kEvidenceFields, r.evidence.emplace());
     }},
};

constexpr Field<Layout> kLayoutFields[] = {
    {"nodes", kOptional, [](FieldReader& in, const JsonNode& n, Layout& l) { l.nodes = in.range(n); }},
    {"ranks_per_node", kOptional,
     [](FieldReader& in, const JsonNode& n, Layout& l) { l.ranksPerNode = in.range(n); }},
    {"nvl_domains", kOptional, [](FieldReader& in, const JsonNode& n, Layout& l) { l.nvlDomains = in.range(n); }},
    {"ranks_per_nvl_domain", kOptional,
     [](FieldReader& in, const JsonNode& n, Layout& l) { l.ranksPerNvlDomain = in.range(n); }},
};

void readCollective(FieldReader& in, const JsonNode& n, Table& t) {
  t.collective = in.word<nccl::Collective>(n, nccl::parseCollective, nccl::name, nccl::kNumCollectives);
}

constexpr Field<Table> kTableFields[] = {
    {"collective", kRequired, readCollective},
    {"layout", kOptional,
     [](FieldReader& in, const JsonNode& n, Table& t) { in.object<Layout>(n, kLayoutFields, t.layout); }},
    {"max_channels", kOptional,
     [](FieldReader& in, const JsonNode& n, Table& t) { t.maxChannels = in.smallWhole(n); }},
    {"size", kRequired, [](FieldReader& in, const JsonNode& n, Table&) { in.text(n); }},  // checkUnit, below
    {"rules", kRequired,
     [](FieldReader& in, const JsonNode& n, Table& t) {
       in.list(n, SIZE_MAX, [&](const JsonNode& r) { in.object<Rule>(r, kRuleFields, t.rules.emplace_back()); });
     }},
};

// The unit is fixed by the collective; the file states it all the same, so that nobody who reads or edits it guesses.
void checkUnit(FieldReader& in, const JsonNode& size, nccl::Collective collective) {
  const std::string wanted = sizeUnit(collective);
  const std::string written = in.text(size);
  if (in.problem() || written == wanted) return;
  if (written != "total_bytes" && written != "per_rank_bytes")
    return in.unknownWord(size, written, {"total_bytes", "per_rank_bytes"});
  in.fail(size, "the sizes of " + std::string(nccl::name(collective)) + " are " + wanted + "; convert from and to");
}

}  // namespace

const char* sizeUnit(nccl::Collective collective) {
  return nccl::keyedPerRank(collective) ? "per_rank_bytes" : "total_bytes";
}

void readTable(FieldReader& in, const JsonNode& node, Table& table) {
  in.object<Table>(node, kTableFields, table);
  if (!in.problem()) checkUnit(in, *in.tree().find(node, "size"), table.collective);
}

}  // namespace polyrail
