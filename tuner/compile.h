// SPDX-License-Identifier: Apache-2.0
// The small steps from a policy's rule to what a Snapshot holds. Pure; any thread may call them.
#pragma once

#include <cstdint>
#include <optional>

#include "tuner/overlay.h"
#include "tuner/snapshot.h"

namespace polyrail {

// The rule's sizes as closed range of total bytes, what NCCL asks with: boundaries that a policy gives per rank are
// multiplied by the ranks. Past 2^64 - 1 an end means no end; a rule that begins there, or is empty, has no sizes.
std::optional<Interval> totalBytes(const Rule& rule, nccl::Collective collective, uint64_t ranks);

// Channels that may be set for the choice, 0 to leave them to NCCL. CollNet's, and NVLS' between nodes, are never
// set, because NCCL does not clamp them (src/enqueue.cc, 2.30.7). AllGather's are set up to ABI v4; from v5 on, which
// NCCL 2.29 speaks, only if the policy says so, because grouped broadcasts ask as AllGather and do not clamp either
// (src/scheduler/allgatherv_sched.cc). Never above the table's pool, nor 64.
int usableChannels(const Choice& choice, const Table& table, const Options& options, const Shape& shape);

// The rule's choices, at most kMaxChoices.
std::vector<CompiledChoice> compileChoices(const Rule& rule, const Table& table, const Options& options,
                                           const Shape& shape);

// The chunk a choice wants and the slices it is for, as getChunkSize will name them: bytes per channel, for CollNet
// and NVLS between nodes the whole message. Nothing when it wants none, or when slices are unknown because
// `channels`, those usable, are NCCL's own. The chunk, in whole grains of the protocol but at least one, is the
// interval's id.
std::optional<Interval> chunkSlices(const Choice& choice, const Interval& bytes, int channels, const Shape& shape);

}  // namespace polyrail
