// SPDX-License-Identifier: Apache-2.0
// Tuner ABI v6, NCCL 2.30 and 2.31. It added getChunkSize.
#include "tuner/adapter.h"

namespace polyrail {
namespace {

nccl::Result init(void** context, uint64_t /*commId*/, size_t nRanks, size_t nNodes, nccl::LogFunction log,
                  nccl::NvlDomainInfoV5* nvl, nccl::TunerConstantsV5* constants) noexcept {
  return openContext(context, makeShape(nRanks, nNodes, 6, nvl), log, constants);
}

nccl::Result getCollInfo(void* context, nccl::CollType collType, size_t nBytes, int numPipeOps, float** table,
                         int numAlgo, int numProto, int regBuff, int* nChannels) noexcept {
  return collInfo(context, {collType, nBytes, numPipeOps, registered(regBuff)}, table, numAlgo, numProto, nChannels);
}

nccl::Result getChunkSize(void* context, nccl::CollType collType, size_t nBytes, int algorithm, int protocol,
                          int /*nChannels*/, size_t* chunkSize) noexcept {
  if (context && chunkSize)
    static_cast<const Communicator*>(context)->onChunk(collType, algorithm, protocol, nBytes, chunkSize);
  return nccl::Result::kSuccess;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::TunerV6 ncclTunerPlugin_v6 = {kTunerName, init, getCollInfo,
                                                                                    closeContext, getChunkSize};

}  // namespace polyrail
