// SPDX-License-Identifier: Apache-2.0
#include "cli/top/view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/top/rail_order.h"
#include "net/telemetry/names.h"

namespace polyrail::cli {
namespace {

bool has(const std::vector<int>& list, int value) { return std::find(list.begin(), list.end(), value) != list.end(); }

bool selected(const ProcessSample& p, const TopSelection& s) {
  return (s.pids.empty() || has(s.pids, p.pid)) && (s.ranks.empty() || has(s.ranks, p.rank));
}

bool selected(const std::string& rail, const TopSelection& s) {
  const auto names = [&](const std::string& d) { return d == rail || rail.starts_with(d + ":"); };
  return s.devices.empty() || std::any_of(s.devices.begin(), s.devices.end(), names);
}

// The same process, and the same rail of it, before; all zero when there was none.
const ProcessSample& earlier(const TopSample& before, const ProcessSample& process) {
  static const ProcessSample none;
  for (const ProcessSample& p : before.processes)
    if (p.pid == process.pid && p.startedNs == process.startedNs) return p;
  return none;
}

const RailSample& earlier(const ProcessSample& before, const RailSample& rail) {
  static const RailSample none;
  for (const RailSample& r : before.rails)
    if (r.name == rail.name) return r;
  return none;
}

const PathSample& earlier(const ProcessSample& before, const PathSample& path) {
  static const PathSample none;
  for (const PathSample& p : before.paths)
    if (p.comm == path.comm && p.index == path.index) return p;
  return none;
}

// By rank, then pid; unknown ranks last.
template <typename Row>
bool inOrder(const Row& a, const Row& b) {
  return std::tuple(a.rank < 0, a.rank, a.pid) < std::tuple(b.rank < 0, b.rank, b.pid);
}

class Builder {
 public:
  Builder(const TopSample& before, const TopSample& now, const TopSelection& selection)
      : before_(before), now_(now), selection_(selection) {}

  TopView run() {
    view_.timeNs = now_.timeNs;
    view_.seconds = static_cast<double>(now_.timeNs - before_.timeNs) * 1e-9;
    view_.ended = now_.ended;
    view_.unreadable = now_.unreadable;
    for (const ProcessSample& process : now_.processes)
      if (!selected(process, selection_) || !add(process)) view_.hidden++;
    finish();
    return std::move(view_);
  }

 private:
  struct Sum {
    RailRow row;
    LatencyHistogram latency{};
  };

  double perSecond(uint64_t bytes) const {
    return view_.seconds > 0 ? static_cast<double>(bytes) / view_.seconds : 0;
  }

  bool add(const ProcessSample& process) {
    const ProcessSample& was = earlier(before_, process);
    ProcessRow row;
    row.pid = process.pid, row.rank = process.rank, row.command = process.command, row.comms = process.comms;
    for (const RailSample& rail : process.rails)
      if (selected(rail.name, selection_)) add(rail, earlier(was, rail), row);
    // One that has no rail yet is shown, too, unless rails were asked for.
    if (row.rails == 0 && !selection_.devices.empty()) return false;
    for (const PathSample& path : process.paths)
      if (selected(path.rail, selection_)) add(path, earlier(was, path), row);
    view_.processes.push_back(std::move(row));
    return true;
  }

  void add(const RailSample& now, const RailSample& was, ProcessRow& process) {
    const double sent = perSecond(since(now.bytesSent, was.bytesSent));
    const double received = perSecond(since(now.bytesReceived, was.bytesReceived));
    process.rails++, process.railsUp += now.condition == RailCondition::kUp;
    process.sentPerSecond += sent, process.receivedPerSecond += received;
    process.bytesSent += now.bytesSent, process.bytesReceived += now.bytesReceived;
    process.failures += now.failures;

    Sum& sum = rails_[now.name];
    cli::add(since(now.latency, was.latency), &sum.latency);
    RailRow& rail = sum.row;
    rail.processes++;
    rail.sentPerSecond += sent, rail.receivedPerSecond += received;
    rail.chunks += since(now.chunksSent, was.chunksSent);
    rail.serviceRate += now.serviceRate;
    rail.bytesSent += now.bytesSent, rail.bytesReceived += now.bytesReceived;
    addHealth(now, rail);
  }

  static void addHealth(const RailSample& now, RailRow& rail) {
    rail.condition = std::max(rail.condition, now.condition);
    rail.slow |= now.slow;
    rail.failures += now.failures, rail.revivals += now.revivals;
    rail.stuck += now.stuck, rail.portDowns += now.portDowns;
    if (now.lastFailureNs > rail.lastFailureNs)
      rail.lastFailureNs = now.lastFailureNs, rail.lastCause = now.lastCause;
  }

  void add(const PathSample& now, const PathSample& was, const ProcessRow& process) {
    const LatencyHistogram latency = since(now.latency, was.latency);
    view_.paths.push_back({process.pid, process.rank, now, perSecond(since(now.bytes, was.bytes)),
                           net::quantile(latency, 0.5), net::quantile(latency, 0.99)});
  }

  void finish() {
    double all = 0;
    for (const auto& [name, sum] : rails_) all += sum.row.sentPerSecond + sum.row.receivedPerSecond;
    for (auto& [name, sum] : rails_) {
      RailRow& row = sum.row;
      row.name = name;
      row.share = all > 0 ? (row.sentPerSecond + row.receivedPerSecond) / all : 0;
      row.p50Ns = net::quantile(sum.latency, 0.5), row.p99Ns = net::quantile(sum.latency, 0.99);
      view_.rails.push_back(std::move(row));
    }
    std::stable_sort(view_.processes.begin(), view_.processes.end(), &inOrder<ProcessRow>);
    std::stable_sort(view_.paths.begin(), view_.paths.end(), &inOrder<PathRow>);
  }

  const TopSample &before_, &now_;
  const TopSelection& selection_;
  TopView view_;
  std::map<std::string, Sum, decltype(&railBefore)> rails_{&railBefore};
};

}  // namespace

TopView viewOf(const TopSample& before, const TopSample& now, const TopSelection& selection) {
  return Builder(before, now, selection).run();
}

}  // namespace polyrail::cli
