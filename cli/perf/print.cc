// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/print.h"

#include <fmt/format.h>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string orDash(bool there, const std::string& text) { return there ? text : "-"; }

std::vector<Cell> cells(const PerfResult& r) {
  const bool timed = r.seconds > 0, pinged = !r.sorted.empty();
  const double rate = r.bytesPerSecond();
  return {r.device == r.peerDevice ? r.device : r.device + " -> " + r.peerDevice,
          humanBytes(r.size),
          std::to_string(r.inFlight),
          orDash(timed, std::to_string(r.messages)),
          orDash(timed, fmt::format("{:.4g}", rate * 8 / 1e9)),
          orDash(timed, fmt::format("{:.4g}", rate / 1e6)),
          orDash(pinged, humanTime(quantile(r.sorted, 0.5))),
          orDash(pinged, humanTime(quantile(r.sorted, 0.99))),
          r.checked.wrong ? Cell(std::to_string(r.checked.wrong) + " wrong", Tone::kBad) : Cell("ok", Tone::kGood)};
}

Json resultJson(const PerfResult& r) {
  Json j = {{"rails", r.rails},       {"rail_count", r.railCount},
            {"device", r.device},     {"peer_device", r.peerDevice},
            {"memory", r.memory},     {"size", r.size},
            {"in_flight", r.inFlight}};
  if (r.seconds > 0)
    j["bandwidth"] = {{"messages", r.messages},
                      {"seconds", r.seconds},
                      {"gbit_per_s", r.bytesPerSecond() * 8 / 1e9},
                      {"mb_per_s", r.bytesPerSecond() / 1e6}};
  if (!r.sorted.empty())
    j["latency_us"] = {{"round_trips", r.sorted.size()},
                       {"min", r.sorted.front()},
                       {"p50", quantile(r.sorted, 0.5)},
                       {"p99", quantile(r.sorted, 0.99)},
                       {"max", r.sorted.back()}};
  j["verified"] = {{"messages", r.checked.messages}, {"wrong", r.checked.wrong}};
  if (r.checked.wrong) j["verified"]["first_wrong"] = r.checked.firstWrong;
  return j;
}

}  // namespace

void printPerf(const PerfReport& report) {
  if (report.results.empty()) return;
  Table table({{"RAILS"},
               {"SIZE", Align::kRight},
               {"IN FLIGHT", Align::kRight},
               {"MESSAGES", Align::kRight},
               {"Gb/s", Align::kRight},
               {"MB/s", Align::kRight},
               {"P50", Align::kRight},
               {"P99", Align::kRight},
               {"BYTES"}});
  for (const PerfResult& r : report.results) table.add(cells(r));
  table.print(stdout, wantsColour(stdout));
  for (const PerfResult& r : report.results)
    if (r.checked.wrong) fmt::print("{}: {}\n", r.device, r.checked.firstWrong);
}

Json perfJson(const PerfReport& report) {
  Json results = Json::array();
  for (const PerfResult& r : report.results) results.push_back(resultJson(r));
  return {{"plugin", report.plugin},
          {"peer_plugin", report.peerPlugin},
          {"clean", report.clean()},
          {"error", report.error.empty() ? Json() : Json(report.error)},
          {"results", results}};
}

}  // namespace polyrail::cli
