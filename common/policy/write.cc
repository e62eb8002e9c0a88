// SPDX-License-Identifier: Apache-2.0
// Writes what parse.cc reads. Only what differs from "not stated" is written, so the shortest policy stays short.
#include <nlohmann/json.hpp>

#include "common/policy/model_constants.h"
#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

using Json = nlohmann::ordered_json;

Json limit(uint64_t value) { return value == kNoLimit ? Json(nullptr) : Json(value); }

Json toJson(const Range& range) {
  if (range.min == range.max && range.max != kNoLimit) return range.min;
  return Json::array({range.min, limit(range.max)});
}

void putText(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}
void put(Json& object, const char* key, const std::optional<Range>& range) {
  if (range) object[key] = toJson(*range);
}
void put(Json& object, const char* key, const Json& part) {
  if (!part.empty()) object[key] = part;
}

Json toJson(const Identity& id) {
  Json out = Json::object(), nccl = Json::object();
  putText(out, "cluster", id.cluster);
  putText(out, "gpu", id.gpu);
  putText(out, "nic", id.nic);
  putText(nccl, "min", id.ncclMin);
  putText(nccl, "max", id.ncclMax);
  put(out, "nccl", nccl);
  putText(out, "learned", id.learnedAt);
  put(out, "sources", Json(id.sources));
  return out;
}

Json toJson(const Options& options) {
  Json out = Json::object();
  if (options.uniformApplication) out["uniform_application"] = true;
  if (options.allGatherChannels) out["allgather_channels"] = true;
  return out;
}

Json toJson(const ConstantOverride& c) {
  Json index = Json::array();
  const ModelArray* array = findModelArray(c.array);
  for (int d = 0; d < (array ? array->dimensions : 3); d++) index.push_back(c.index[static_cast<size_t>(d)]);
  return {{"array", c.array}, {"index", index}, {"value", c.value}};
}

Json toJson(const Layout& layout) {
  Json out = Json::object();
  if (layout.nodes != Range{}) out["nodes"] = toJson(layout.nodes);
  if (layout.ranksPerNode != Range{}) out["ranks_per_node"] = toJson(layout.ranksPerNode);
  put(out, "nvl_domains", layout.nvlDomains);
  put(out, "ranks_per_nvl_domain", layout.ranksPerNvlDomain);
  return out;
}

Json toJson(const Choice& choice) {
  Json out = {{"algorithm", name(choice.algorithm)}, {"protocol", name(choice.protocol)}};
  put(out, "channels", choice.channels);
  put(out, "chunk_bytes", choice.chunkBytes);
  if (choice.time) out["time"] = {{"base_us", choice.time->baseUs}, {"us_per_mib", choice.time->usPerMib}};
  return out;
}

Json toJson(const Evidence& e) {
  Json out = {{"gain", e.gain},
              {"gain_ci", Json::array({e.gainLow, e.gainHigh})},
              {"confidence", e.confidence},
              {"minimum_detectable", e.minimumDetectable},
              {"samples", e.samples},
              {"candidates", e.candidates}};
  put(out, "wrong", e.wrong);
  out["ll128_default"] = e.ll128Default;
  return out;
}

Json toJson(const Rule& rule) {
  Json out = {{"from", rule.from}, {"to", limit(rule.to)}};
  put(out, "pipe_ops", rule.pipeOps);
  put(out, "reg_buff", rule.regBuff);
  out["choices"] = Json::array();
  for (const Choice& choice : rule.choices) out["choices"].push_back(toJson(choice));
  if (rule.evidence) out["evidence"] = toJson(*rule.evidence);
  return out;
}

Json toJson(const Table& table) {
  Json out = {{"collective", name(table.collective)}, {"layout", toJson(table.layout)}};
  put(out, "max_channels", table.maxChannels);
  out["size"] = sizeUnit(table.collective);
  out["rules"] = Json::array();
  for (const Rule& rule : table.rules) out["rules"].push_back(toJson(rule));
  return out;
}

Json toJson(const Policy& policy) {
  Json out = {{"polyrail_policy", 1}};
  putText(out, "name", policy.name);
  put(out, "identity", toJson(policy.identity));
  put(out, "options", toJson(policy.options));
  if (!policy.constants.empty()) out["constants"] = Json::array();
  for (const ConstantOverride& c : policy.constants) out["constants"].push_back(toJson(c));
  out["tables"] = Json::array();
  for (const Table& table : policy.tables) out["tables"].push_back(toJson(table));
  return out;
}

}  // namespace

std::string writePolicy(const Policy& policy) {
  // `replace`: a name that is not UTF-8 must not make the writer throw.
  return toJson(policy).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace polyrail
