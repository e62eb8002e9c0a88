// SPDX-License-Identifier: Apache-2.0
// The decision: what a compiled policy makes of one call of getCollInfo. A pure function of the snapshot and of what
// NCCL passes, hence the same on every rank; allocates, locks, logs and throws nothing. Any thread may call it.
#pragma once

#include <cstddef>

#include "tuner/snapshot.h"

namespace polyrail {

// NCCL's table of predicted microseconds, float[algorithms][protocols], borrowed for the call. -1 (and anything else
// below zero, or NaN) marks what NCCL does not allow; it is neither chosen nor written.
struct CostTable {
  float* costs = nullptr;
  int algorithms = 0;
  int protocols = 0;  // the stride: entry (a, p) is costs[a * protocols + p]
};

enum class Outcome {
  kNoRule,      // nothing in the policy for this call, or nothing to decide on
  kNotAllowed,  // NCCL allows none of the rule's choices
  kGuarded,     // NCCL keeps this collective off Ring for precision; left alone
  kDecided,
};
inline constexpr size_t kNumOutcomes = 4;

struct Decision {
  Outcome outcome = Outcome::kNoRule;
  const CompiledChoice* choice = nullptr;  // of the snapshot: the one taken, or guarded; the rule's first if none is
};

// Takes the first of the rule's choices that NCCL allows: writes its predicted time t > 0 (NCCL's own prediction if
// the policy has none) and lifts every other allowed entry that is not above t to 1.001 t, so that one strict minimum
// is left, which NCCL up to 2.30 and 2.31 alike pick (src/enqueue.cc topoGetAlgoInfo). *nChannels is set when the
// choice says so. In every other outcome the table and *nChannels stay bit for bit as they were.
// A null or oddly sized table is no rule; nChannels may be null.
Decision decide(const Snapshot& snapshot, const Request& request, const CostTable& table, int* nChannels) noexcept;

// The same for ABI v2, which passes no table: NCCL 2.21 takes whatever is written without a check. So only what every
// communicator has a kernel and connections for: Ring, for AllReduce also Tree, with LL or Simple.
Decision decideUnchecked(const Snapshot& snapshot, const Request& request, int* algorithm, int* protocol,
                         int* nChannels) noexcept;

// Chunk bytes for getChunkSize, given the one NCCL would use; `ncclChunk` again when no rule speaks.
size_t decideChunk(const Snapshot& snapshot, int collective, int algorithm, int protocol, uint64_t bytes,
                   size_t ncclChunk) noexcept;

}  // namespace polyrail
