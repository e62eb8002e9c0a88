// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/bound_tuner.h"

namespace polyrail::contract {
namespace {

using nccl::Algorithm;
using nccl::Result;
constexpr int kSimple = static_cast<int>(nccl::Protocol::kSimple);

bool inTable(const CostTable& table, int algorithm, int protocol) {
  return algorithm >= 0 && algorithm < table.algorithms() && protocol >= 0 && protocol < nccl::kNumProtocols;
}

BoundTuner bind(const nccl::TunerV2* t) {
  BoundTuner bound{.abi = 2, .name = t->name, .v2 = t};
  bound.init = [t](void** context, CommShape& s, nccl::LogFunction log, auto&) {
    return t->init(s.ranks, s.nodes, log, context);
  };
  bound.getCollInfo = [t](void* context, const Call& c, CostTable& table, int* channels) {
    int algorithm = -1, protocol = -1;
    const Result result = t->getCollInfo(context, c.collective, c.bytes, derivedCollNetSupport(table),
                                         derivedNvlsSupport(table), c.pipeOps, &algorithm, &protocol, channels);
    if (inTable(table, algorithm, protocol) && table.allows(algorithm, protocol)) table.at(algorithm, protocol) = 0;
    return result;
  };
  bound.finalize = t->destroy;
  return bound;
}

BoundTuner bind(const nccl::TunerV3* t) {
  BoundTuner bound{.abi = 3, .name = t->name};
  bound.init = [t](void** context, CommShape& s, nccl::LogFunction log, auto&) {
    return t->init(s.ranks, s.nodes, log, context);
  };
  bound.getCollInfo = [t](void* context, const Call& c, CostTable& table, int* channels) {
    return t->getCollInfo(context, c.collective, c.bytes, c.pipeOps, table.forPlugin(), table.algorithms(),
                          nccl::kNumProtocols, channels);
  };
  bound.finalize = t->destroy;
  return bound;
}

// Versions 4, 5 and 6 share getCollInfo's signature.
template <typename Table>
auto tableCall(const Table* t) {
  return [t](void* context, const Call& c, CostTable& table, int* channels) {
    return t->getCollInfo(context, c.collective, c.bytes, c.pipeOps, table.forPlugin(), table.algorithms(),
                          nccl::kNumProtocols, c.regBuff ? 1 : 0, channels);
  };
}

BoundTuner bind(const nccl::TunerV4* t) {
  BoundTuner bound{.abi = 4, .name = t->name};
  bound.init = [t](void** context, CommShape& s, nccl::LogFunction log, auto&) {
    return t->init(s.ranks, s.nodes, log, context);
  };
  bound.getCollInfo = tableCall(t);
  bound.finalize = t->destroy;
  return bound;
}

template <typename Table>
BoundTuner bindWithConstants(const Table* t, int abi) {
  BoundTuner bound{.abi = abi, .name = t->name};
  bound.init = [t](void** context, CommShape& s, nccl::LogFunction log, nccl::TunerConstantsV5& constants) {
    return t->init(context, s.commId, s.ranks, s.nodes, log, &s.nvlDomains, &constants);
  };
  bound.getCollInfo = tableCall(t);
  bound.finalize = t->finalize;
  return bound;
}

BoundTuner bind(const nccl::TunerV5* t) { return bindWithConstants(t, 5); }

BoundTuner bind(const nccl::TunerV6* t) {
  BoundTuner bound = bindWithConstants(t, 6);
  if (t->getChunkSize == nullptr) return bound;
  bound.getChunkSize = [t](void* context, const Call& c, size_t bytes, int a, int p, int channels, size_t* chunk) {
    return t->getChunkSize(context, c.collective, bytes, a, p, channels, chunk);
  };
  return bound;
}

template <typename Table>
std::optional<BoundTuner> tryBind(const Library& library, const char* symbol) {
  const Table* table = library.find<Table>(symbol);
  return table ? std::optional(bind(table)) : std::nullopt;
}

}  // namespace

int derivedCollNetSupport(const CostTable& table) {
  return table.allows(static_cast<int>(Algorithm::kCollNetChain), kSimple) ? 1 : 0;
}

int derivedNvlsSupport(const CostTable& table) {
  return table.allows(static_cast<int>(Algorithm::kNvls), kSimple) ||
                 table.allows(static_cast<int>(Algorithm::kNvlsTree), kSimple)
             ? 1
             : 0;
}

std::optional<BoundTuner> bindTuner(const Library& library, int newestAbi) {
  std::optional<BoundTuner> bound;
  if (newestAbi >= 6) bound = tryBind<nccl::TunerV6>(library, "ncclTunerPlugin_v6");
  if (!bound && newestAbi >= 5) bound = tryBind<nccl::TunerV5>(library, "ncclTunerPlugin_v5");
  if (!bound && newestAbi >= 4) bound = tryBind<nccl::TunerV4>(library, "ncclTunerPlugin_v4");
  if (!bound && newestAbi >= 3) bound = tryBind<nccl::TunerV3>(library, "ncclTunerPlugin_v3");
  if (!bound) bound = tryBind<nccl::TunerV2>(library, "ncclTunerPlugin_v2");
  return bound;
}

}  // namespace polyrail::contract
