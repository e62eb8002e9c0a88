// SPDX-License-Identifier: Apache-2.0
// What the communicators of a process share: the one policy, read when the first of them begins and never again, and
// a snapshot of it for each shape in use. One mutex guards both and is taken in init and finalize only. All of it is
// freed when the library is unloaded; a communicator that is still open then keeps its own snapshot alive.
#pragma once

#include <memory>

#include "common/log.h"
#include "common/policy/policy_file.h"
#include "tuner/snapshot.h"

namespace polyrail {

struct SharedSnapshot {
  std::shared_ptr<const LoadedPolicy> policy;
  std::shared_ptr<const Snapshot> snapshot;  // null: nothing to decide by, because of `absent`
  const char* absent = nullptr;
};

// The process' policy, compiled for the shape; the first call of all reads the file. What is wrong with the file or
// a setting is warned of once in a process, through the log of whoever comes first. Throws std::bad_alloc.
SharedSnapshot shareSnapshot(const Shape& shape, const Log& log);

// Forgets snapshots that nobody uses any more. Call it after dropping one.
void dropUnusedSnapshots() noexcept;

// POLYRAIL_TUNER_LOG, read with the policy. REQUIRES: shareSnapshot was called.
int logDetail() noexcept;

}  // namespace polyrail
