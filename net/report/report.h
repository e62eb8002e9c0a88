// SPDX-License-Identifier: Apache-2.0
// The report on a comm that has ended: what an operator reads in NCCL's log, a few lines that begin alike so that one
// grep finds all of them. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "net/report/evidence.h"

namespace polyrail::net {

// "report 3f21-7: ..." for each line, `name` being "3f21-7"; no line is longer than Log::kMaxLine. The first says
// what ended and why; then this end and the peer, each path, counters, the last events, likely causes and what to
// run.
std::vector<std::string> reportLines(const Evidence& evidence, const std::string& name);

// What a report is grouped by: comms that one thing has ended have the same. A peer that is gone is one thing; a rail
// here is another.
std::string culprit(const Evidence& evidence);

}  // namespace polyrail::net
