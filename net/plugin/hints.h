// SPDX-License-Identifier: Apache-2.0
// What NCCL says of the transfers to come (setNetAttr, plugin ABI from v11 on), and what follows from it:
// docs/striping.md says why. Owned by a context, read by its comms, which may outlive it. Any thread, at any time:
// NCCL's progress thread tells it just before the transfer that it is about, its service thread before a connection.
#pragma once

#include <atomic>
#include <memory>

#include "common/nccl/net_types.h"
#include "net/schedule/chunking.h"

namespace polyrail::net {

// Bytes of the largest chunk when that many peers are sent to at once; NCCL's kNetUndefined, and what makes no sense,
// is as one. A multiple of kChunkGrain, kMinChunk to kMaxChunk.
size_t largestChunkFor(int peers);

class Hints {
 public:
  // Neither allocates, nor locks, nor logs.
  void note(const nccl::NetAttr& attributes) {
    largestChunk_->store(largestChunkFor(attributes.sendCommAttr.minConcurrentPeers), std::memory_order_relaxed);
  }
  std::shared_ptr<const std::atomic<size_t>> largestChunk() const { return largestChunk_; }

 private:
  const std::shared_ptr<std::atomic<size_t>> largestChunk_ = std::make_shared<std::atomic<size_t>>(kMaxChunk);
};

}  // namespace polyrail::net
