// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/abort.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "test/vgpu/driver/cuda.h"

namespace polyrail::vgpu {

namespace {

constexpr int kLaunches = 16;         // far more than is done before the last rank aborts
constexpr useconds_t kApart = 60000;  // microseconds between the ranks' aborts

bool launchAll(const Options& o, const Nccl& nccl, const Member& who, const Buffers& buffers, size_t count) {
  const Call call{buffers.send(), buffers.receive(), count,    elementSize(o.type), o.type, o.op, o.root,
                  who.place.rank, who.place.ranks,   who.comm, who.stream};
  for (int i = 0; i < kLaunches; ++i) {
    const int error = vgpu::run(nccl, o.collective->kind, call);
    if (!succeeded(nccl, who.comm, who.place.rank, error, o.collective->name)) return false;
  }
  return true;
}

bool stillWorks(const Member& who) {
  if (cudaStreamQuery(who.stream) != 0) return true;
  fprintf(stderr, "vgpu-perf: rank %d had nothing under way when it aborted\n", who.globalRank);
  return false;
}

}  // namespace

bool abortAmidWork(const Options& o, const Nccl& nccl, const Member& who, Comm* comm) {
  const size_t element = elementSize(o.type);
  const Counts counts = countsOf(o.collective->kind, o.end, element, who.place.ranks);
  const Buffers buffers(o, nccl, who.comm, std::max(counts.send, counts.receive) * element);
  if (!buffers.good() || !launchAll(o, nccl, who, buffers, counts.count)) return false;
  usleep(kApart * static_cast<useconds_t>(who.globalRank + 1));
  const bool works = stillWorks(who);
  const int error = nccl.commAbort(who.comm);
  *comm = nullptr;
  cudaStreamSynchronize(who.stream);
  if (!succeeded(nccl, nullptr, who.globalRank, error, "ncclCommAbort") || !works) return false;
  fprintf(stderr, "vgpu: rank %d aborted amid work\n", who.globalRank);
  return true;
}

}  // namespace polyrail::vgpu
