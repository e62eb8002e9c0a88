// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/schedule.h"

#include <algorithm>

namespace polyrail::contract {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

constexpr int kSteps = 8;                                                      // NCCL_STEPS
constexpr int kBuffer[nccl::kNumProtocols] = {512 << 10, 4'915'200, 4 << 20};  // src/init.cc, 2.30.7
constexpr int kNvlsChunk = 128 << 10;
constexpr int kLeastChunk = 32 << 10;

uint64_t ceilDiv(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
Algorithm algorithm(const nccl::Selection& pick) { return static_cast<Algorithm>(pick.algorithm); }
Protocol protocol(const nccl::Selection& pick) { return static_cast<Protocol>(pick.protocol); }
bool isNvls(const nccl::Selection& p) {
  return algorithm(p) == Algorithm::kNvls || algorithm(p) == Algorithm::kNvlsTree;
}

}  // namespace

nccl::ChannelPlan planFor(const CommShape& shape, const Call& call, const nccl::Selection& pick, int requested,
                          int version) {
  return nccl::planChannels({.collective = static_cast<Collective>(call.collective),
                             .algorithm = algorithm(pick),
                             .protocol = protocol(pick),
                             .totalBytes = call.bytes,
                             .ranks = static_cast<int>(shape.ranks),
                             .nodes = static_cast<int>(shape.nodes),
                             .pool = shape.channels,
                             .nvlsChannels = std::max(1, shape.nvlsChannels),
                             .requested = requested,
                             .collNetHeads = shape.nicHeads,
                             .version = version});
}

std::vector<Slice> slices(const Call& call, const nccl::ChannelPlan& plan) {
  if (plan.running == 0) return {};
  if (plan.bytesPerChannel == 0)
    return {{call.bytes, plan.clamped ? 1 : plan.running, plan.clamped ? plan.running : 1}};
  const uint64_t cells = ceilDiv(call.bytes, plan.bytesPerChannel);
  const uint64_t each = ceilDiv(cells, static_cast<uint64_t>(plan.running)) * plan.bytesPerChannel;
  const int full = static_cast<int>((call.bytes - 1) / each);
  std::vector<Slice> all;
  if (full > 0) all.push_back({each, 1, full});
  all.push_back({call.bytes - static_cast<uint64_t>(full) * each, 1, 1});
  return all;
}

int largestChunk(const Call& call, const nccl::Selection& pick) {
  const int step = kBuffer[pick.protocol] / kSteps;
  if (protocol(pick) == Protocol::kLl) return step / 2;           // half of LL are flags
  if (protocol(pick) == Protocol::kLl128) return step / 16 * 15;  // 120 bytes of a 128-byte line
  const auto collective = static_cast<Collective>(call.collective);
  const bool rooted = collective == Collective::kBroadcast || collective == Collective::kReduce;
  return algorithm(pick) == Algorithm::kRing && !rooted ? step * kSteps / 2 : step;
}

int modelChunk(const CommShape& shape, const Call& call, const nccl::Selection& pick, const Slice& slice) {
  int chunk = largestChunk(call, pick);
  if (isNvls(pick)) chunk = std::min(chunk, kNvlsChunk);
  if (algorithm(pick) == Algorithm::kRing || protocol(pick) == Protocol::kLl) return chunk;
  const uint64_t pieces = algorithm(pick) == Algorithm::kPat || shape.nodes > 1 ? 16 : 8;
  const uint64_t bytes = slice.bytes / static_cast<uint64_t>(slice.channels);
  while (chunk > kLeastChunk && static_cast<uint64_t>(chunk) * pieces > bytes) chunk /= 2;
  return chunk;
}

}  // namespace polyrail::contract
