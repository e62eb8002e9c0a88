// SPDX-License-Identifier: Apache-2.0
// A tuner plugin's table of one ABI version behind one shape of call, as NCCL's shims make it
// (src/plugin/tuner/, 2.30.7). For versions 3 to 6 that is a change of types; the version 2 shim asks without a table
// and enters 0 where the answer is allowed. Valid until the library is closed. Thread-safety is the plugin's.
#pragma once

#include <functional>
#include <optional>

#include "test/contract/host/cost_table.h"
#include "test/contract/host/library.h"

namespace polyrail::contract {

struct BoundTuner {
  int abi = 0;
  const char* name = nullptr;
  std::function<nccl::Result(void** context, CommShape& shape, nccl::LogFunction log, nccl::TunerConstantsV5&)> init =
      {};
  std::function<nccl::Result(void* context, const Call&, CostTable&, int* channels)> getCollInfo = {};
  std::function<nccl::Result(void* context)> finalize = {};
  // Empty when the ABI or the plugin has none.
  std::function<nccl::Result(void* context, const Call&, size_t bytes, int algorithm, int protocol, int channels,
                             size_t* chunk)>
      getChunkSize = {};
  const nccl::TunerV2* v2 = nullptr;  // NCCL 2.21 calls it without the shim
};

// Looks up ncclTunerPlugin_v6 to _v2, newest first, from `newestAbi` down; nothing when there is none.
std::optional<BoundTuner> bindTuner(const Library& library, int newestAbi);

// What the version 2 shim derives from the table.
int derivedCollNetSupport(const CostTable& table);
int derivedNvlsSupport(const CostTable& table);

}  // namespace polyrail::contract
