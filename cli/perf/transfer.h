// SPDX-License-Identifier: Apache-2.0
// The plugin's data calls for one message of a slot, with NCCL's habits: a request that stays null means "again".
// Stateless; one thread a comm.
#pragma once

#include "cli/perf/series.h"

namespace polyrail::cli {

inline constexpr int kPerfTag = 77;

// *request null: not now.
Status startSend(const PerfPlugin& plugin, void* comm, const Slots& slots, int slot, size_t size, void** request);
Status startReceive(const PerfPlugin& plugin, void* comm, const Slots& slots, int slot, void** request);
// True when done; *size (may be null) is then what was moved.
Result<bool> finished(const PerfPlugin& plugin, void* request, int* size);
// GPU memory is flushed before anyone looks at it, as NCCL does where the GPU needs it. An error too when the flush
// does not end in the end's patience.
Status flushSlot(const SeriesEnd& end, int slot);

}  // namespace polyrail::cli
