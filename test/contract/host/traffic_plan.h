// SPDX-License-Identifier: Apache-2.0
// What is to be moved: connections between ranks, on each the sub-channels that share it (NCCL's proxy subs, told
// apart by tags), and for each the sizes of its messages. Both ends read the same plan. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "test/contract/host/memory.h"

namespace polyrail::contract {

inline constexpr int kSteps = 8;  // NCCL_STEPS: messages of one sub in flight

struct SubPlan {
  int tag = 0;
  std::vector<size_t> sizes;
};

struct LinkPlan {
  int from = 0, to = 1;
  int device = 0;
  std::vector<SubPlan> subs;  // 1..8, received in one group
  size_t capacity = 1 << 16;  // of every receive; >= all sizes; a multiple of 128
  // LL128's way: receives whose completion is optional, lines that carry flags. REQUIRES: one sub, sizes of whole
  // lines.
  bool lines = false;
  Place place = Place::kHost;  // of the buffers at both ends; GPU memory is flushed before it is looked at
  uint64_t seed = 1;

  // Names a message for payload.h.
  uint64_t message(size_t sub, size_t step) const { return seed << 40 | sub << 32 | (step + 1); }
};

struct TrafficPlan {
  int ranks = 2;
  std::vector<LinkPlan> links;
  bool registerMeanwhile = false;  // the service thread registers and deregisters while data flows
  bool dmaBufMeanwhile = false;    // by regMrDmaBuf, too
};

}  // namespace polyrail::contract
