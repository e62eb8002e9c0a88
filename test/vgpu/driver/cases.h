// SPDX-License-Identifier: Apache-2.0
// The collectives that the driver runs, with nccl-tests' meaning of sizes: what a rank sends and receives, and how a
// call is made. Immutable, any thread.
#pragma once

#include <string>

#include "test/vgpu/driver/nccl.h"

namespace polyrail::vgpu {

enum class Kind { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kAllToAll, kSendRecv };

struct Case {
  const char* name;  // as the program of nccl-tests: "all_reduce"
  Kind kind;
  bool reduces;
  bool rooted;
};

// Null when there is no such collective.
const Case* caseOf(const std::string& name);

// Elements of one rank's buffers for a size of `bytes` (nccl-tests' -b): what it gives NCCL as count, and what it
// holds.
struct Counts {
  size_t count, send, receive;
};
Counts countsOf(Kind kind, size_t bytes, size_t element, int ranks);

// Bus bandwidth over algorithm bandwidth (nccl-tests' PERFORMANCE.md).
double busFactor(Kind kind, int ranks);

// Where the rank's own data lies in the receive buffer when a collective runs in place, in elements.
size_t inPlaceOffset(Kind kind, bool ofSend, size_t count, int rank);
// NCCL's send and receive to all peers and to a neighbour cannot be in place.
bool canBeInPlace(Kind kind);

struct Call {
  const void* send;
  void* receive;
  size_t count;
  size_t element;
  int type, op, root, rank, ranks;
  Comm comm;
  CudaStream stream;
};
int run(const Nccl& nccl, Kind kind, const Call& call);

}  // namespace polyrail::vgpu
