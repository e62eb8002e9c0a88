// SPDX-License-Identifier: Apache-2.0
// NCCL's tuner plugin ABI, versions 2 to 6, written from its published facts. These structs appear here and in the
// adapters only; the core speaks its own types. Layout and order are pinned per version by test/unit/nccl-abi and
// compared with a real NCCL by `make check-abi`. The tables must stay valid and constant until dlclose: NCCL keeps
// pointers to them. NCCL calls init under a lock and getCollInfo from the thread that enqueues the collective.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/nccl/result.h"

namespace polyrail::nccl {

// An entry of the cost table that NCCL does not allow; it must be neither touched nor written.
inline constexpr float kCostIgnore = -1.0f;

// The collective arrives as a plain int: newer NCCLs pass values beyond the five that a tuner can steer.
using CollType = int;

struct TunerV2 {  // NCCL 2.21
  const char* name;
  Result (*init)(size_t nRanks, size_t nNodes, LogFunction log, void** context);
  Result (*getCollInfo)(void* context, CollType collType, size_t nBytes, int collNetSupport, int nvlsSupport,
                        int numPipeOps, int* algorithm, int* protocol, int* nChannels);
  Result (*destroy)(void* context);
};

struct TunerV3 {  // NCCL 2.22, 2.23. The table is float[numAlgo][numProto], contiguous, behind a float** type.
  const char* name;
  Result (*init)(size_t nRanks, size_t nNodes, LogFunction log, void** context);
  Result (*getCollInfo)(void* context, CollType collType, size_t nBytes, int numPipeOps, float** collCostTable,
                        int numAlgo, int numProto, int* nChannels);
  Result (*destroy)(void* context);
};

struct TunerV4 {  // NCCL 2.24 to 2.27
  const char* name;
  Result (*init)(size_t nRanks, size_t nNodes, LogFunction log, void** context);
  Result (*getCollInfo)(void* context, CollType collType, size_t nBytes, int numPipeOps, float** collCostTable,
                        int numAlgo, int numProto, int regBuff, int* nChannels);
  Result (*destroy)(void* context);
};

struct NvlDomainInfoV5 {
  int nNvlDomains;
  int minRanksPerNvlDomain;
  int maxRanksPerNvlDomain;
};

// Writable during init, before NCCL builds its cost model. Microseconds and GB/s; indices as in terms.h;
// links are NVLink, PCI, network; scales are 1, 2, and 4 or more nodes; compcaps Volta, Ampere, Hopper, Blackwell.
struct TunerConstantsV5 {
  double baseLatencies[7][3];
  double hwLatencies[3][7][3];
  double llMaxBws[4][3];
  double perChMaxRingLl128Bws[4][3];
  double perChMaxTreeLl128Bws[4][3];
  double perChMaxTreeBws[4][3];
  double perChMaxNvlsTreeBws[4][3];
};

struct TunerV5 {  // NCCL 2.28, 2.29
  const char* name;
  Result (*init)(void** context, uint64_t commId, size_t nRanks, size_t nNodes, LogFunction log,
                 NvlDomainInfoV5* nvlDomainInfo, TunerConstantsV5* constants);
  Result (*getCollInfo)(void* context, CollType collType, size_t nBytes, int numPipeOps, float** collCostTable,
                        int numAlgo, int numProto, int regBuff, int* nChannels);
  Result (*finalize)(void* context);
};

struct TunerV6 {  // NCCL 2.30, 2.31
  const char* name;
  Result (*init)(void** context, uint64_t commId, size_t nRanks, size_t nNodes, LogFunction log,
                 NvlDomainInfoV5* nvlDomainInfo, TunerConstantsV5* constants);
  Result (*getCollInfo)(void* context, CollType collType, size_t nBytes, int numPipeOps, float** collCostTable,
                        int numAlgo, int numProto, int regBuff, int* nChannels);
  Result (*finalize)(void* context);
  // May be null. For all but CollNet it is called with nChannels = 1 and the bytes of one channel's slice.
  Result (*getChunkSize)(void* context, CollType collType, size_t nBytes, int algorithm, int protocol, int nChannels,
                         size_t* chunkSize);
};

}  // namespace polyrail::nccl
