// SPDX-License-Identifier: Apache-2.0
// What a message of a series holds and whether it arrived so. The n-th message lies in slot n modulo their number, at
// both ends. Stateless beyond the slots; one thread.
#pragma once

#include "cli/perf/series.h"

namespace polyrail::cli {

// Before a series, at either end: the pattern that stays in the sender's slots, nothing in the receiver's.
Status prepareSlots(const SeriesEnd& end);
Status clearSlots(const SeriesEnd& end);

Status writeMessage(const SeriesEnd& end, int slot, uint64_t number);
// "" when it is what was sent, else a sentence. Of a stamped message only the stamp is looked at.
Result<std::string> checkMessage(const SeriesEnd& end, int slot, uint64_t number);
// After a stamped series: the bytes behind the stamps of what lies in the slots.
Result<std::string> checkSlots(const SeriesEnd& end, uint64_t messages);

}  // namespace polyrail::cli
