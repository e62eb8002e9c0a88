// SPDX-License-Identifier: Apache-2.0
// From what the plugin knows to what it shows: the board of a process as it begins, and what is written when it ends.
// At init and at the end only; no state.
#pragma once

#include <memory>

#include "common/log.h"
#include "net/connect/greeting.h"
#include "net/device/port.h"
#include "net/settings.h"
#include "net/telemetry/board.h"

namespace polyrail::net {

// Null when POLYRAIL_TELEMETRY=off. A file that cannot be made is said in one line, and the job goes on without it.
// `now`: ns of the monotonic clock.
std::unique_ptr<Board> makeBoard(const TelemetrySettings& settings, const std::vector<Port>& ports,
                                 const Greeting& greeting, const Log& log, int64_t now);
// The file goes, and the JSON that POLYRAIL_TELEMETRY_JSON asks for is written.
void endBoard(Board& board, const TelemetrySettings& settings, const Log& log);

}  // namespace polyrail::net
