// SPDX-License-Identifier: Apache-2.0
// What the plugin says of rails that fail and of comms that end: the first in full, those that follow of the same
// cause as a count. Knows what the port counters were when this process first used a port. Owned by the Library; any
// thread, never on the hot path: a report reads counters from /sys.
#pragma once

#include <map>
#include <string>

#include "common/clock.h"
#include "common/log.h"
#include "common/mutex.h"
#include "common/sysroot.h"
#include "net/connect/greeting.h"
#include "net/report/crowd.h"
#include "net/report/port_counters.h"

namespace polyrail::net {

class Reports {
 public:
  // Borrowed, all of them.
  Reports(const SysRoot& root, const Clock& clock, const Greeting& self) : root_(root), clock_(clock), self_(self) {}

  // Remembers the port's counters as they are, the first time it is called for that port.
  void beginCounting(const std::string& device, unsigned port);
  // `evidence` of the comm and the plugin; host, process and counters are added here.
  void ended(const Log& log, Evidence evidence);
  // A rail failed and was survived, or is back: "rail mlx5_0:1 failed", and the whole sentence.
  void railNews(const Log& log, const std::string& kind, const std::string& peer, const std::string& text);
  // Says the counts of what has ceased, or of everything. In how many milliseconds it wants to be called again; -1:
  // never.
  int sayCounts(const Log& log, bool all = false);

 private:
  void addCounters(RailEvidence* rail);

  const SysRoot& root_;
  const Clock& clock_;
  const Greeting& self_;
  Mutex mutex_;
  std::map<std::string, PortCounters> before_;  // by "mlx5_0:1"
  unsigned numbered_ = 0;
  Crowd crowd_;
};

}  // namespace polyrail::net
