// SPDX-License-Identifier: Apache-2.0
#include "cli/top/metrics.h"

#include <algorithm>
#include <span>

#include "cli/top/prometheus.h"

namespace polyrail::cli {
namespace {

struct RailNumber {
  const char *name, *help;
  uint64_t (*value)(const RailSample&);
};

constexpr RailNumber kCounters[] = {
    {"polyrail_rail_failures_total", "Paths of the rail that were taken out of use.",
     [](const RailSample& r) { return r.failures; }},
    {"polyrail_rail_revivals_total", "Paths of the rail that were made anew.",
     [](const RailSample& r) { return r.revivals; }},
    {"polyrail_rail_stuck_total", "Failures that the watchdog found, not an error of the NIC.",
     [](const RailSample& r) { return r.stuck; }},
    {"polyrail_rail_port_downs_total", "Events that told that the port is down.",
     [](const RailSample& r) { return r.portDowns; }},
};

constexpr RailNumber kGauges[] = {
    {"polyrail_rail_up", "1 while the port and every path of the rail are in use.",
     [](const RailSample& r) { return uint64_t{r.condition == RailCondition::kUp}; }},
    {"polyrail_rail_slow", "1 while the plugin calls the rail slower than its siblings.",
     [](const RailSample& r) { return uint64_t{r.slow}; }},
    {"polyrail_rail_service_bytes_per_second", "Rate of the rail while it is loaded; 0: not measured.",
     [](const RailSample& r) { return r.serviceRate; }},
};

// "mlx5_0:1"
PrometheusLabels labelsOf(const ProcessSample& process, const RailSample& rail) {
  const size_t colon = std::min(rail.name.rfind(':'), rail.name.size());
  return {{"device", rail.name.substr(0, colon)},
          {"port", colon < rail.name.size() ? rail.name.substr(colon + 1) : ""},
          {"pid", std::to_string(process.pid)}};
}

class Metrics {
 public:
  explicit Metrics(const TopSample& sample) : sample_(sample) {}

  std::string run() {
    node();
    ranks();
    bothWays("polyrail_rail_bytes_total", "Payload that the rail has moved.", &RailSample::bytesSent,
             &RailSample::bytesReceived);
    bothWays("polyrail_rail_chunks_total", "Pieces of messages that the rail has moved.", &RailSample::chunksSent,
             &RailSample::chunksReceived);
    each(kCounters, "counter");
    each(kGauges, "gauge");
    text_.family(
        "polyrail_rail_chunk_seconds", "histogram",
        "Time from posting to completion of some of the chunks sent; the sum is an estimate from powers of two.");
    eachRail([&](const PrometheusLabels& labels, const RailSample& r) { text_.histogram(labels, r.latency); });
    return text_.text();
  }

 private:
  template <typename F>
  void eachRail(const F& take) const {
    for (const ProcessSample& process : sample_.processes)
      for (const RailSample& rail : process.rails) take(labelsOf(process, rail), rail);
  }

  void each(std::span<const RailNumber> counters, const char* type) {
    for (const RailNumber& c : counters) {
      text_.family(c.name, type, c.help);
      eachRail([&](const PrometheusLabels& labels, const RailSample& r) { text_.sample(labels, c.value(r)); });
    }
  }

  void node() {
    text_.family("polyrail_processes", "gauge", "Running processes with the net plugin.");
    text_.sample({}, sample_.processes.size());
    text_.family("polyrail_unreadable_files", "gauge", "Telemetry files that were refused.");
    text_.sample({}, sample_.unreadable.size());
  }

  void ranks() {
    text_.family("polyrail_process_info", "gauge", "1 for each process; its rank where that is known.");
    for (const ProcessSample& p : sample_.processes)
      text_.sample({{"pid", std::to_string(p.pid)}, {"rank", p.rank < 0 ? "" : std::to_string(p.rank)}}, 1);
  }

  void bothWays(const char* name, const char* help, uint64_t RailSample::*sent, uint64_t RailSample::*received) {
    text_.family(name, "counter", help);
    eachRail([&](PrometheusLabels labels, const RailSample& r) {
      labels.emplace_back("direction", "sent");
      text_.sample(labels, r.*sent);
      labels.back().second = "received";
      text_.sample(labels, r.*received);
    });
  }

  const TopSample& sample_;
  PrometheusText text_;
};

}  // namespace

std::string prometheusText(const TopSample& sample) { return Metrics(sample).run(); }

}  // namespace polyrail::cli
