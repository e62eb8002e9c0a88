// SPDX-License-Identifier: Apache-2.0
// Tuner ABI v2, NCCL 2.21. There is no cost table, so what the user forbids with NCCL_ALGO or NCCL_PROTO cannot be
// seen; NCCL would let the tuner overrule them, so with either set the tuner is off.
#include <cstdlib>

#include "tuner/adapter.h"

namespace polyrail {
namespace {

const char* forcedByUser() {
  for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"})
    if (const char* value = std::getenv(name); value && *value)
      return "with this NCCL a policy would overrule NCCL_ALGO or NCCL_PROTO, which is set";
  return nullptr;
}

nccl::Result init(size_t nRanks, size_t nNodes, nccl::LogFunction log, void** context) noexcept {
  return openContext(context, makeShape(nRanks, nNodes, 2), log, nullptr, forcedByUser());
}

nccl::Result getCollInfo(void* context, nccl::CollType collType, size_t nBytes, int /*collNetSupport*/,
                         int /*nvlsSupport*/, int numPipeOps, int* algorithm, int* protocol,
                         int* nChannels) noexcept {
  if (context)
    static_cast<Communicator*>(context)->onNoTable({collType, nBytes, numPipeOps, Registered::kUnknown}, algorithm,
                                                   protocol, nChannels);
  return nccl::Result::kSuccess;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const nccl::TunerV2 ncclTunerPlugin_v2 = {kTunerName, init, getCollInfo,
                                                                                    closeContext};

}  // namespace polyrail
