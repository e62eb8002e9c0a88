// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/cost_table.h"

#include <bit>
#include <cstring>

namespace polyrail::contract {
namespace {

using nccl::Algorithm;
using nccl::Collective;

constexpr float kCanary = 3.14159e-30f;  // no cost, and not -1
constexpr int kMaxDirectRanks = 8;       // NCCL_MAX_DIRECT_ARITY + 1
constexpr int kMaxNvlsRanks = 32;        // NCCL_MAX_NVLS_ARITY
constexpr float kFp8RingFactor = 1024;   // src/enqueue.cc, 2.30.7

bool gathers(const Call& call) { return nccl::keyedPerRank(static_cast<Collective>(call.collective)); }

bool collNetAllowed(const CommShape& shape, const Call& call, Algorithm algorithm) {
  if (!shape.collNet || shape.nodes < 2 || call.allGatherV || shape.localRanks() > kMaxDirectRanks) return false;
  return algorithm != Algorithm::kCollNetDirect || !gathers(call) || shape.localRanks() <= shape.nicHeads;
}

bool nvlsAllowed(const CommShape& shape, const Call& call, Algorithm algorithm) {
  if (shape.nvlsChannels < 2 || call.allGatherV) return false;
  if (call.fp8 && call.collective != static_cast<int>(Collective::kAllGather)) return false;
  if (algorithm == Algorithm::kNvlsTree) return shape.nodes > 1;
  if (gathers(call) && shape.localRanks() > kMaxNvlsRanks) return false;
  if (shape.nodes == 1) return true;
  return shape.collNet && (!gathers(call) || shape.localRanks() <= shape.nicHeads);
}

bool patAllowed(const CommShape& shape, const Call& call) {
  if (shape.ranks != shape.nodes) return false;
  return call.collective != static_cast<int>(Collective::kReduceScatter) || !call.average;
}

bool algorithmAllowed(const CommShape& shape, const Call& call, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kCollNetDirect:
    case Algorithm::kCollNetChain: return collNetAllowed(shape, call, algorithm);
    case Algorithm::kNvls:
    case Algorithm::kNvlsTree: return nvlsAllowed(shape, call, algorithm);
    case Algorithm::kPat: return patAllowed(shape, call);
    default: return true;
  }
}

}  // namespace

CostTable::CostTable(int algorithms) : algorithms_(algorithms) {
  cells_.fill(kCanary);
  for (int a = 0; a < algorithms; a++)
    for (int p = 0; p < nccl::kNumProtocols; p++) at(a, p) = nccl::kCostIgnore;
}

bool CostTable::guardsIntact() const {
  for (size_t i = 0; i < cells_.size(); i++) {
    const bool inside = static_cast<int>(i) >= kGuard && static_cast<int>(i) < index(algorithms_, 0);
    if (!inside && std::bit_cast<uint32_t>(cells_[i]) != std::bit_cast<uint32_t>(kCanary)) return false;
  }
  return true;
}

bool CostTable::sameBits(const CostTable& other) const {
  return std::memcmp(cells_.data(), other.cells_.data(), sizeof(cells_)) == 0;
}

std::optional<nccl::Selection> pickFrom(nccl::SelectionRule rule, const CostTable& before, const CostTable& after) {
  return nccl::select(rule, before.entries(), after.entries(), nccl::kNumProtocols);
}

bool isAllowed(const CommShape& shape, const Call& call, int algorithm, int protocol) {
  if (call.collective < 0 || call.collective >= nccl::kNumCollectives) return false;
  const auto a = static_cast<Algorithm>(algorithm);
  const auto p = static_cast<nccl::Protocol>(protocol);
  if (!nccl::hasKernel(static_cast<Collective>(call.collective), a, p)) return false;
  if (p == nccl::Protocol::kLl128 && !shape.ll128) return false;
  if (!(shape.enabled[call.collective] >> (algorithm * nccl::kNumProtocols + protocol) & 1)) return false;
  return algorithmAllowed(shape, call, a);
}

CostTable fillTable(const CommShape& shape, const Call& call, int algorithms, const CostModel& model) {
  CostTable table(algorithms);
  const bool relegateRing = call.fp8 && shape.ranks > 8;
  for (int a = 0; a < algorithms; a++) {
    const bool dearer = relegateRing && a == static_cast<int>(Algorithm::kRing);
    for (int p = 0; p < nccl::kNumProtocols; p++)
      if (isAllowed(shape, call, a, p)) table.at(a, p) = model(shape, call, a, p) * (dearer ? kFp8RingFactor : 1);
  }
  return table;
}

}  // namespace polyrail::contract
