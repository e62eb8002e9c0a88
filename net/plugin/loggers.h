// SPDX-License-Identifier: Apache-2.0
// The loggers of all NCCLs that use the plugin. What belongs to no single communicator (the library, events of NICs,
// the context that ABI v6 to v10 share) logs through relayLog, which finds the latest one that is still there. NCCL
// up to 2.27 does not say when it goes, so a logger whose code is no longer mapped is passed over. Any thread; not
// for the hot path.
#pragma once

#include "common/nccl/result.h"

namespace polyrail::net {

// One more who logs through it, and one less. Null is nobody.
void addLogger(nccl::LogFunction logger);
void dropLogger(nccl::LogFunction logger);

// A logger itself. Silent when there is none.
void relayLog(nccl::LogLevel level, unsigned long flags, const char* file, int line, const char* format, ...);

}  // namespace polyrail::net
