// SPDX-License-Identifier: Apache-2.0
// How NCCL spreads one collective over channels and which chunks it offers to getChunkSize (src/enqueue.cc
// scheduleCollTasksToPlan, calcCollChunking; NCCL 2.30.7): the channels by tuner/channels.h, the slices within one
// scheduler cell of NCCL's, the chunk NCCL starts from with its upper limit exact. Pure functions.
#pragma once

#include <vector>

#include "test/contract/host/cost_table.h"
#include "tuner/channels.h"

namespace polyrail::contract {

// `requested` as the tuner answered. REQUIRES: 0 <= requested <= 64.
nccl::ChannelPlan planFor(const CommShape& shape, const Call& call, const nccl::Selection& pick, int requested,
                          int version);

struct Slice {
  size_t bytes;  // as getChunkSize is told: of the whole operation for CollNet, else of one channel's share
  int channels;  // as getChunkSize is told: all of them for CollNet, else 1
  int repeats;   // channels that run a slice of this size
};
// Empty when nothing runs.
std::vector<Slice> slices(const Call& call, const nccl::ChannelPlan& plan);

// Upper limit from the buffers, and NCCL's own choice below it.
int largestChunk(const Call& call, const nccl::Selection& pick);
int modelChunk(const CommShape& shape, const Call& call, const nccl::Selection& pick, const Slice& slice);

}  // namespace polyrail::contract
