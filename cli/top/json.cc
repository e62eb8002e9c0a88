// SPDX-License-Identifier: Apache-2.0
#include "cli/top/json.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGbit = 8e-9;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json orNull(int rank) { return rank < 0 ? Json() : Json(rank); }

// Null where no chunk was sent meanwhile.
Json latencyJson(int64_t p50Ns, int64_t p99Ns) {
  if (p50Ns == 0) return {};
  return {{"p50", static_cast<double>(p50Ns) * 1e-3}, {"p99", static_cast<double>(p99Ns) * 1e-3}};
}

Json railJson(const RailRow& r) {
  return {{"name", r.name},
          {"state", conditionName(r.condition)},
          {"slow", r.slow},
          {"processes", r.processes},
          {"sent_gbit_per_s", r.sentPerSecond * kGbit},
          {"received_gbit_per_s", r.receivedPerSecond * kGbit},
          {"loaded_gbit_per_s", r.serviceRate ? Json(static_cast<double>(r.serviceRate) * kGbit) : Json()},
          {"share", r.share},
          {"chunks", r.chunks},
          {"latency_us", latencyJson(r.p50Ns, r.p99Ns)},
          {"bytes_sent", r.bytesSent},
          {"bytes_received", r.bytesReceived},
          {"failures", r.failures},
          {"revivals", r.revivals},
          {"stuck", r.stuck},
          {"port_downs", r.portDowns},
          {"last_cause", orNull(r.lastCause)}};
}

Json processJson(const ProcessRow& p) {
  return {{"pid", p.pid},
          {"rank", orNull(p.rank)},
          {"command", p.command},
          {"comms", p.comms},
          {"rails", p.rails},
          {"rails_up", p.railsUp},
          {"sent_gbit_per_s", p.sentPerSecond * kGbit},
          {"received_gbit_per_s", p.receivedPerSecond * kGbit},
          {"bytes_sent", p.bytesSent},
          {"bytes_received", p.bytesReceived},
          {"failures", p.failures}};
}

Json pathJson(const PathRow& row) {
  const PathSample& p = row.path;
  return {{"pid", row.pid},
          {"rank", orNull(row.rank)},
          {"comm", p.comm},
          {"path", p.index},
          {"direction", p.sends ? "send" : "receive"},
          {"rail", p.rail},
          {"peer", p.peer},
          {"peer_rail", p.peerRail},
          {"phase", p.phase},
          {"gbit_per_s", row.bytesPerSecond * kGbit},
          {"loaded_gbit_per_s", p.rate ? Json(static_cast<double>(p.rate) * kGbit) : Json()},
          {"in_flight_bytes", p.inFlight},
          {"latency_us", latencyJson(row.p50Ns, row.p99Ns)},
          {"bytes", p.bytes},
          {"failures", p.failures},
          {"revivals", p.revivals},
          {"last_cause", orNull(p.lastCause)}};
}

}  // namespace

Json topJson(const TopView& view) {
  Json rails = Json::array(), processes = Json::array(), paths = Json::array();
  for (const RailRow& r : view.rails) rails.push_back(railJson(r));
  for (const ProcessRow& p : view.processes) processes.push_back(processJson(p));
  for (const PathRow& p : view.paths) paths.push_back(pathJson(p));
  return {{"seconds", view.seconds},     {"rails", rails},      {"processes", processes},       {"paths", paths},
          {"not_selected", view.hidden}, {"ended", view.ended}, {"unreadable", view.unreadable}};
}

}  // namespace polyrail::cli
