// SPDX-License-Identifier: Apache-2.0
// NCCL's analytic cost model: from what its topology search found on a machine to the table of latencies and
// bandwidths that it prints and chooses by. Worked out from NCCL's src/graph/tuning.cc ncclTopoTuneModel, 2.29.2 to
// 2.30.7. For tests that need tables as NCCL would fill them, and to see what other constants would change. Pure.
#pragma once

#include <array>

#include "cli/data/run.h"
#include "common/nccl/tuner_abi.h"

namespace polyrail::nccl {

// One algorithm's channels as the search laid them ("Pattern ... nChannels ... bw intra/inter" in a GRAPH log).
struct Graph {
  int channels = 0;                  // 0: none found
  float intraGBs = 0, interGBs = 0;  // of one channel
  bool nvlink = true;                // typeIntra is NVLink
  float interLatencyUs = 0;          // what the network plugin states
  bool sameChannels = true;
};

enum class CpuVendor { kIntel, kAmd, kOther };  // a mix with AMD counts as AMD

struct Machine {
  int ranks = 2, nodes = 1;  // 2 <= ranks, nodes divides ranks
  int computeCapability = 90;
  CpuVendor cpu = CpuVendor::kIntel;
  std::array<Graph, kNumAlgorithms> graphs{};
  bool ll128 = true;            // every link is near enough for LL128, and the GPUs are of one kind
  bool collNet = false;         // NCCL_COLLNET_ENABLE=1 and a plugin that can
  bool collNetGathers = false;  // the plugin has iallgather and ireducescatter
  int collNetHeads = 0;
  bool nvSwitch = true;
  bool plainTrees = false;  // trees with both children on one GPU (pattern TREE)
  bool patOnHost = true;    // the network runs on the host; PAT also needs one rank a node
};

// The constants that 2.30.7 starts from; tuners of ABI v5 and v6 may edit them. 2.29's differ for Blackwell only:
// Ring/LL128 34.5, 34.6, 34.5 a channel and NVLSTree 43.8 on four nodes.
const TunerConstantsV5& defaultConstants();

// REQUIRES: the ranges stated above.
CostModel costModel(const Machine& machine, const TunerConstantsV5& constants = defaultConstants());

}  // namespace polyrail::nccl
