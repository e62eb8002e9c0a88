// SPDX-License-Identifier: Apache-2.0
// Tuner ABI v4, NCCL 2.24 to 2.27. It added regBuff.
#include "tuner/adapter.h"

namespace polyrail {
namespace {

nccl::Result init(size_t nRanks, size_t nNodes, nccl::LogFunction log, void** context) noexcept {
  return openContext(context, makeShape(nRanks, nNodes, 4), log);
}

nccl::Result getCollInfo(void* context, nccl::CollType collType, size_t nBytes, int numPipeOps, float** table,
                         int numAlgo, int numProto, int regBuff, int* nChannels) noexcept {
  return collInfo(context, {collType, nBytes, numPipeOps, registered(regBuff)}, table, numAlgo, numProto, nChannels);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::TunerV4 ncclTunerPlugin_v4 = {kTunerName, init, getCollInfo,
                                                                                    closeContext};

}  // namespace polyrail
