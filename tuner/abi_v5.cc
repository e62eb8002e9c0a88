// SPDX-License-Identifier: Apache-2.0
// Tuner ABI v5, NCCL 2.28 and 2.29. It added NVLink domains and the cost model's constants.
#include "tuner/adapter.h"

namespace polyrail {
namespace {

nccl::Result init(void** context, uint64_t /*commId*/, size_t nRanks, size_t nNodes, nccl::LogFunction log,
                  nccl::NvlDomainInfoV5* nvl, nccl::TunerConstantsV5* constants) noexcept {
  return openContext(context, makeShape(nRanks, nNodes, 5, nvl), log, constants);
}

nccl::Result getCollInfo(void* context, nccl::CollType collType, size_t nBytes, int numPipeOps, float** table,
                         int numAlgo, int numProto, int regBuff, int* nChannels) noexcept {
  return collInfo(context, {collType, nBytes, numPipeOps, registered(regBuff)}, table, numAlgo, numProto, nChannels);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::TunerV5 ncclTunerPlugin_v5 = {kTunerName, init, getCollInfo,
                                                                                    closeContext};

}  // namespace polyrail
