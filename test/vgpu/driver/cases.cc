// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/cases.h"

namespace polyrail::vgpu {

namespace {

constexpr Case kCases[] = {
    {"all_reduce", Kind::kAllReduce, true, false},         {"reduce", Kind::kReduce, true, true},
    {"broadcast", Kind::kBroadcast, false, true},          {"all_gather", Kind::kAllGather, false, false},
    {"reduce_scatter", Kind::kReduceScatter, true, false}, {"alltoall", Kind::kAllToAll, false, false},
    {"sendrecv", Kind::kSendRecv, false, false},
};

int toAllPeers(const Nccl& nccl, const Call& c) {
  const size_t bytes = c.count * c.element;
  int error = nccl.groupStart();
  for (int peer = 0; peer < c.ranks && error == kNcclSuccess; ++peer) {
    const size_t at = static_cast<size_t>(peer) * bytes;
    error = nccl.send(static_cast<const char*>(c.send) + at, c.count, c.type, peer, c.comm, c.stream);
    if (error == kNcclSuccess) {
      error = nccl.recv(static_cast<char*>(c.receive) + at, c.count, c.type, peer, c.comm, c.stream);
    }
  }
  const int end = nccl.groupEnd();
  return error != kNcclSuccess ? error : end;
}

int toNeighbour(const Nccl& nccl, const Call& c) {
  int error = nccl.groupStart();
  if (error == kNcclSuccess) error = nccl.send(c.send, c.count, c.type, (c.rank + 1) % c.ranks, c.comm, c.stream);
  if (error == kNcclSuccess) {
    error = nccl.recv(c.receive, c.count, c.type, (c.rank + c.ranks - 1) % c.ranks, c.comm, c.stream);
  }
  const int end = nccl.groupEnd();
  return error != kNcclSuccess ? error : end;
}

}  // namespace

const Case* caseOf(const std::string& name) {
  for (const Case& c : kCases) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

Counts countsOf(Kind kind, size_t bytes, size_t element, int ranks) {
  const auto n = static_cast<size_t>(ranks);
  switch (kind) {
    case Kind::kAllGather:
    case Kind::kReduceScatter: {
      const size_t grain = 16 / element;  // as nccl-tests: every rank's part is a multiple of 16 bytes
      const size_t each = bytes / element / n / grain * grain;
      return kind == Kind::kAllGather ? Counts{each, each, each * n} : Counts{each, each * n, each};
    }
    case Kind::kAllToAll: {
      const size_t each = bytes / element / n;
      return {each, each * n, each * n};
    }
    default: return {bytes / element, bytes / element, bytes / element};
  }
}

double busFactor(Kind kind, int ranks) {
  const double part = (ranks - 1.0) / ranks;
  switch (kind) {
    case Kind::kAllReduce: return 2 * part;
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll: return part;
    default: return 1;
  }
}

size_t inPlaceOffset(Kind kind, bool ofSend, size_t count, int rank) {
  if (kind == Kind::kAllGather && ofSend) return count * static_cast<size_t>(rank);
  if (kind == Kind::kReduceScatter && !ofSend) return count * static_cast<size_t>(rank);
  return 0;
}

bool canBeInPlace(Kind kind) { return kind != Kind::kAllToAll && kind != Kind::kSendRecv; }

int run(const Nccl& nccl, Kind kind, const Call& c) {
  switch (kind) {
    case Kind::kAllReduce: return nccl.allReduce(c.send, c.receive, c.count, c.type, c.op, c.comm, c.stream);
    case Kind::kReduce: return nccl.reduce(c.send, c.receive, c.count, c.type, c.op, c.root, c.comm, c.stream);
    case Kind::kBroadcast: return nccl.broadcast(c.send, c.receive, c.count, c.type, c.root, c.comm, c.stream);
    case Kind::kAllGather: return nccl.allGather(c.send, c.receive, c.count, c.type, c.comm, c.stream);
    case Kind::kReduceScatter: return nccl.reduceScatter(c.send, c.receive, c.count, c.type, c.op, c.comm, c.stream);
    case Kind::kAllToAll: return toAllPeers(nccl, c);
    default: return toNeighbour(nccl, c);
  }
}

}  // namespace polyrail::vgpu
