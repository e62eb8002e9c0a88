// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "test/vgpu/driver/cuda.h"

namespace polyrail::vgpu {

bool Measure::run(const Buffers& buffers, const Counts& counts, bool inPlace, Placement* out) {
  const Shape shape{o_.collective->kind, o_.type, o_.op, o_.root, who_.place.ranks, counts.count};
  const size_t element = elementSize(o_.type);
  char* receive = buffers.receive();
  char* send = inPlace ? receive : buffers.send();
  const Kind kind = o_.collective->kind;
  if (inPlace) {
    send += inPlaceOffset(kind, true, counts.count, who_.place.rank) * element;
    receive += inPlaceOffset(kind, false, counts.count, who_.place.rank) * element;
  }
  const Call call{send,    receive,         counts.count,     element,   o_.type,    o_.op,
                  o_.root, who_.place.rank, who_.place.ranks, who_.comm, who_.stream};
  return checked(shape, call, counts, inPlace, out) && timed(call, out);
}

bool Measure::checked(const Shape& shape, const Call& call, const Counts& counts, bool inPlace, Placement* out) {
  std::vector<char> mine(counts.send * call.element), theirs(counts.receive * call.element, '\x5a');
  fill(shape, who_.place.rank, mine.data(), counts.send);
  const bool holds = shape.kind != Kind::kReduce && shape.kind != Kind::kBroadcast;
  if (!inPlace) cudaMemcpy(call.receive, theirs.data(), theirs.size(), 4);
  if (!inPlace || holds || shape.kind == Kind::kReduce || who_.place.rank == o_.root) {
    cudaMemcpy(const_cast<void*>(call.send), mine.data(), mine.size(), 4);
  }
  if (!meet(shared_) || !launch(call) || !finish()) return false;
  size_t wrong = 0;
  if (o_.check && (shape.kind != Kind::kReduce || who_.place.rank == o_.root)) {
    cudaMemcpy(theirs.data(), call.receive, theirs.size(), 4);
    wrong = countWrong(shape, who_.place.rank, theirs.data(), counts.receive);
  }
  shared_->wrong.fetch_add(wrong);
  return gather({0, wrong}, out);
}

bool Measure::timed(const Call& call, Placement* out) {
  for (int i = 0; i < o_.warmups; ++i) {
    if (!launch(call)) return false;
  }
  if (!finish() || !meet(shared_)) return false;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < o_.iterations; ++i) {
    if (!launch(call)) return false;
  }
  if (!finish()) return false;
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const size_t wrong = out->wrong;
  const bool good = gather({all / std::max(o_.iterations, 1) / o_.aggregate, 0}, out);
  out->wrong = wrong;
  return good;
}

// Slowest rank's time and everybody's errors.
bool Measure::gather(const RankResult& mine, Placement* out) {
  shared_->results[who_.globalRank] = mine;
  if (!meet(shared_)) return false;
  *out = {};
  for (int rank = 0; rank < shared_->ranks; ++rank) {
    out->seconds = std::max(out->seconds, shared_->results[rank].seconds);
    out->wrong += shared_->results[rank].wrong;
  }
  return meet(shared_);
}

bool Measure::calls(const Call& call) {
  if (o_.aggregate == 1) return did(vgpu::run(nccl_, o_.collective->kind, call), o_.collective->name);
  if (!did(nccl_.groupStart(), "ncclGroupStart")) return false;
  for (int i = 0; i < o_.aggregate; ++i) {
    if (!did(vgpu::run(nccl_, o_.collective->kind, call), o_.collective->name)) return false;
  }
  return did(nccl_.groupEnd(), "ncclGroupEnd");
}

bool Measure::launch(const Call& call) {
  if (o_.graphLaunches == 0) return calls(call);
  void *graph = nullptr, *executable = nullptr;
  cudaStreamBeginCapture(who_.stream, 2);
  const bool good = calls(call);
  if (cudaStreamEndCapture(who_.stream, &graph) != 0 || !good) return false;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < o_.graphLaunches; ++i) cudaGraphLaunch(executable, who_.stream);
  cudaStreamSynchronize(who_.stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  return true;
}

// As a framework's watchdog: waits for the stream, and aborts when NCCL has an error, since its kernels then never
// end.
bool Measure::finish() {
  int error = kNcclSuccess;
  while (cudaStreamQuery(who_.stream) != 0) {
    if (!did(nccl_.commGetAsyncError(who_.comm, &error), "ncclCommGetAsyncError")) return false;
    if (error != kNcclSuccess) break;
    usleep(100);
  }
  if (error == kNcclSuccess) nccl_.commGetAsyncError(who_.comm, &error);
  if (did(error, "asynchronous")) return true;
  nccl_.commAbort(who_.comm);
  return false;
}

}  // namespace polyrail::vgpu
