// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/reports.h"

#include <algorithm>
#include <mutex>

#include "net/report/report.h"

namespace polyrail::net {
namespace {

constexpr int kLookAgainMs = 500;

std::string portName(const std::string& device, unsigned port) { return device + ":" + std::to_string(port); }

}  // namespace

void Reports::beginCounting(const std::string& device, unsigned port) {
  const std::string name = portName(device, port);
  {
    const std::lock_guard lock(mutex_);
    if (before_.contains(name)) return;
  }
  const PortCounters now = readPortCounters(root_, device, port);
  const std::lock_guard lock(mutex_);
  before_.emplace(name, now);
}

// A NIC that is lost may keep a reader of its counters waiting for its firmware.
void Reports::addCounters(RailEvidence* rail) {
  if (rail->lost) return;
  PortCounters before;
  {
    const std::lock_guard lock(mutex_);
    const auto found = before_.find(portName(rail->device, rail->port));
    if (found == before_.end()) return;
    before = found->second;
  }
  rail->counted = std::any_of(before.begin(), before.end(), [](const auto& counter) { return counter.has_value(); });
  if (rail->counted) rail->changes = changes(before, readAgain(root_, rail->device, rail->port, before));
}

void Reports::ended(const Log& log, Evidence evidence) {
  if (evidence.ending == Ending::kMisuse)
    return log.warn("%s [peer: %s]", evidence.why.c_str(), evidence.peer.c_str());
  if (!crowd_.first("report on " + culprit(evidence), evidence.peer, clock_.nowNs())) return;
  evidence.host = self_.host;
  evidence.process = self_.process;
  for (RailEvidence& rail : evidence.rails) addCounters(&rail);
  std::string name = std::to_string(self_.process) + "-";
  {
    const std::lock_guard lock(mutex_);
    name += std::to_string(++numbered_);
  }
  for (const std::string& line : reportLines(evidence, name)) log.warn("%s", line.c_str());
}

void Reports::railNews(const Log& log, const std::string& kind, const std::string& peer, const std::string& text) {
  if (crowd_.first(kind, peer, clock_.nowNs())) log.warn("%s [peer: %s]", text.c_str(), peer.c_str());
}

int Reports::sayCounts(const Log& log, bool all) {
  for (const std::string& line : crowd_.ceased(clock_.nowNs(), all)) log.warn("%s", line.c_str());
  return crowd_.pending() ? kLookAgainMs : -1;
}

}  // namespace polyrail::net
