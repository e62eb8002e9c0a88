// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/hints.h"

namespace polyrail::net {
namespace {

// Rings have one peer, trees four (net.cc and enqueue.cc of NCCL 2.30.7), and both keep NCCL_STEPS messages under way
// to each, so that a long last chunk of one is hidden by the next. More is an all-to-all.
constexpr size_t kCollectivePeers = 4;

}  // namespace

size_t largestChunkFor(int peers) {
  const size_t many = std::max(kCollectivePeers, static_cast<size_t>(std::max(peers, 1)));
  return std::max(kMinChunk, kMaxChunk * kCollectivePeers / many / kChunkGrain * kChunkGrain);
}

}  // namespace polyrail::net
