// SPDX-License-Identifier: Apache-2.0
// Tuner ABI v3, NCCL 2.22 and 2.23. It introduced the cost table.
#include "tuner/adapter.h"

namespace polyrail {
namespace {

nccl::Result init(size_t nRanks, size_t nNodes, nccl::LogFunction log, void** context) noexcept {
  return openContext(context, makeShape(nRanks, nNodes, 3), log);
}

nccl::Result getCollInfo(void* context, nccl::CollType collType, size_t nBytes, int numPipeOps, float** table,
                         int numAlgo, int numProto, int* nChannels) noexcept {
  return collInfo(context, {collType, nBytes, numPipeOps, Registered::kUnknown}, table, numAlgo, numProto, nChannels);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::TunerV3 ncclTunerPlugin_v3 = {kTunerName, init, getCollInfo,
                                                                                    closeContext};

}  // namespace polyrail
