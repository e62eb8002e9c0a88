// SPDX-License-Identifier: Apache-2.0
// One registration with verbs: by DMA-BUF where there is a descriptor and the NIC can, else by address. Called under
// the cache's lock.
#pragma once

#include "common/status.h"
#include "net/memory/memory_range.h"
#include "net/memory/mr_cache.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

MemoryKind kindOf(const MemoryRange& range, const RegistrationWays& how);

// Registers the pages [out->first, out->end) and fills out->mr and out->viaDmaBuf. The error names the device, the
// size, each way that was tried with its errno, and the remedy.
Status registerRange(const Verbs& verbs, ibv_pd* pd, const std::string& device, const MemoryRange& range,
                     const RegistrationWays& how, Registration* out);

}  // namespace polyrail::net
