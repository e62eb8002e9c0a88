// SPDX-License-Identifier: Apache-2.0
// The breaches of the tuner contract that show in one call (facts of src/enqueue.cc, 2.22 to 2.31): each is a
// sentence that says what NCCL would do with it.
#pragma once

#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {

// Compares the tables and the channels of a finished call and appends to outcome.faults.
void auditAnswer(const CommShape& shape, const Call& call, Outcome& outcome);
void auditChunk(const ChunkCall& chunk, Outcome& outcome);

}  // namespace polyrail::contract
