// SPDX-License-Identifier: Apache-2.0
#include "cli/read/run_json.h"

#include <cmath>

namespace polyrail {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void put(Json& to, const char* name, const std::optional<T>& value) {
  if (value) to[name] = *value;
}

void put(Json& to, const char* name, const std::string& text) {
  if (!text.empty()) to[name] = text;
}

// JSON has neither inf nor nan.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json placement(const Placement& p) {
  Json json = {{"time_us", number(p.timeUs)}, {"algbw_gbs", number(p.algBw)}, {"busbw_gbs", number(p.busBw)}};
  if (p.wrong) json["wrong"] = number(*p.wrong);
  if (p.spread)
    json["spread"] = {{"min_us", p.spread->minUs},
                      {"max_us", p.spread->maxUs},
                      {"p99_us", p.spread->p99Us},
                      {"cv_percent", p.spread->cvPercent}};
  return json;
}

Json row(const Row& r) {
  Json json;
  if (r.line > 0) json["line"] = r.line;
  json["size"] = r.sizeBytes;
  json["count"] = r.count;
  put(json, "type", r.type);
  put(json, "redop", r.redop);
  json["root"] = r.root;
  if (r.outOfPlace) json["out_of_place"] = placement(*r.outOfPlace);
  if (r.inPlace) json["in_place"] = placement(*r.inPlace);
  return json;
}

Json choice(const LoggedChoice& c) {
  Json json = {{"collective", nccl::name(c.collective)},
               {"total_bytes", c.totalBytes},
               {"algorithm", nccl::name(c.algorithm)},
               {"protocol", nccl::name(c.protocol)}};
  put(json, "channels", c.channels);
  put(json, "model_time_us", c.modelTimeUs);
  json["lines"] = c.lines;
  if (c.bytesArePerRank) json["printed_per_rank"] = true;
  return json;
}

// The cells that NCCL allows.
Json costTable(const CostModel& table) {
  Json json = Json::array();
  for (int c = 0; c < nccl::kNumCollectives; c++)
    for (int a = 0; a < nccl::kNumAlgorithms; a++)
      for (int p = 0; p < nccl::kNumProtocols; p++) {
        const auto i = static_cast<size_t>(c), j = static_cast<size_t>(a), k = static_cast<size_t>(p);
        if (table.bandwidthGBs[i][j][k] <= 0) continue;
        json.push_back({{"collective", nccl::name(static_cast<nccl::Collective>(c))},
                        {"algorithm", nccl::name(static_cast<nccl::Algorithm>(a))},
                        {"protocol", nccl::name(static_cast<nccl::Protocol>(p))},
                        {"latency_us", table.latencyUs[i][j][k]},
                        {"bandwidth_gbs", table.bandwidthGBs[i][j][k]}});
      }
  return json;
}

Json forced(const Forced& f) {
  Json json = Json::object();
  put(json, "algorithm", f.algorithm);
  put(json, "protocol", f.protocol);
  put(json, "min_channels", f.minChannels);
  put(json, "max_channels", f.maxChannels);
  return json;
}

Json settings(const TestSettings& s) {
  Json json = Json::object();
  put(json, "threads", s.threads);
  put(json, "gpus_per_thread", s.gpusPerThread);
  put(json, "warmup_iterations", s.warmupIterations);
  put(json, "iterations", s.iterations);
  put(json, "aggregated", s.aggregated);
  put(json, "validation", s.validation);
  put(json, "graph", s.graph);
  if (s.cpuTime) json["cpu_time"] = true;
  return json;
}

template <typename T, typename Make>
Json list(const std::vector<T>& values, Make make) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(make(value));
  return json;
}

}  // namespace

Json runAsJson(const Run& run) {
  Json json;
  if (run.line > 0) json["line"] = run.line;
  put(json, "test", run.collectiveText);
  if (run.collective) json["collective"] = nccl::name(*run.collective);
  put(json, "ranks", run.ranks);
  put(json, "nodes", run.nodes);
  put(json, "nccl_version", run.ncclVersion);
  put(json, "tests_version", run.testsVersion);
  put(json, "gpu", run.gpu);
  put(json, "start_time", run.startTime);
  put(json, "network", run.network);
  put(json, "net_plugin", run.netPlugin);
  put(json, "tuner_plugin", run.tunerPlugin);
  put(json, "coll_channels", run.collChannels);
  json["forced"] = forced(run.forced);
  json["settings"] = settings(run.settings);
  json["complete"] = run.complete;
  json["problems"] = run.problems;
  if (run.costTable) json["cost_table"] = costTable(*run.costTable);
  json["choices"] = list(run.choices, choice);
  json["rows"] = list(run.rows, row);
  return json;
}

}  // namespace polyrail
