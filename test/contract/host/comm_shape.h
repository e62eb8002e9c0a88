// SPDX-License-Identifier: Apache-2.0
// What NCCL knows of a communicator and of one call when it asks its tuner. Plain values, shared by all ranks but for
// the registration of buffers, which is each rank's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/nccl/terms.h"
#include "common/nccl/tuner_abi.h"

namespace polyrail::contract {

struct CommShape {
  size_t ranks = 16;
  size_t nodes = 2;
  nccl::NvlDomainInfoV5 nvlDomains = {2, 8, 8};
  uint64_t commId = 0x706f6c79;
  int channels = 32;      // the pool, comm->nChannels
  int nvlsChannels = 16;  // 0: no NVLS on this machine
  bool collNet = false;   // a CollNet plugin that reduces
  bool ll128 = true;      // enabled by topology
  int nicHeads = 8;       // local NICs that CollNet may use
  // What NCCL_ALGO and NCCL_PROTO leave, per collective: bit algorithm * 3 + protocol. NCCL turns the rest into -1.
  uint32_t enabled[nccl::kNumCollectives] = {~0u, ~0u, ~0u, ~0u, ~0u};

  // The largest node, as NCCL's maxLocalRanks.
  int localRanks() const { return static_cast<int>((ranks + nodes - 1) / nodes); }
};

struct Call {
  int collective = static_cast<int>(nccl::Collective::kAllReduce);  // may be a value that no tuner knows
  size_t bytes = 0;  // element size * max(send, receive count), summed over an aggregate
  int pipeOps = 1;   // ceil(operations of the group / channels), never 0
  bool regBuff = false;
  bool fp8 = false;         // NCCL makes Ring 1024 times dearer above 8 ranks
  bool average = false;     // Avg and PreMulSum: no PAT ReduceScatter
  bool allGatherV = false;  // asked as AllGather without CollNet and NVLS; only protocol and channels are used
};

}  // namespace polyrail::contract
