// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/rank.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "test/vgpu/driver/buffers.h"
#include "test/vgpu/driver/census.h"
#include "test/vgpu/driver/cuda.h"
#include "test/vgpu/driver/data.h"
#include "test/vgpu/driver/report.h"

namespace polyrail::vgpu {

namespace {

constexpr int kWarmLives = 4;  // what is made once for a process is there by then

class Rank {
 public:
  Rank(const Options& options, const Nccl& nccl, const Place& place, Shared* shared)
      : o_(options), nccl_(nccl), place_(place), shared_(shared) {}

  bool run() {
    cudaSetDevice(place_.device);
    cudaStreamCreateWithFlags(&stream_, 1);
    const bool good = o_.cycles > 1 ? manyLives() : connect() && allSizes() && disconnect();
    if (good && o_.cycles == 1 && getenv("VGPU_CENSUS")) report("end");
    if (!good) shared_->failed.fetch_add(1);
    cudaStreamDestroy(stream_);
    return good;
  }

 private:
  bool did(int error, const char* what) {
    if (error == kNcclSuccess) return true;
    const char* more = nccl_.getLastError(comm_);
    fprintf(stderr, "vgpu: Test NCCL failure %s rank %d '%s / %s'\n", what, place_.rank, nccl_.getErrorString(error),
            more);
    return false;
  }

  bool connect() {
    if (!meetAll()) return false;  // the id of the communicator before is no longer read
    if (place_.rank == 0 && !did(nccl_.getUniqueId(&shared_->id), "ncclGetUniqueId")) return false;
    if (!meet(shared_)) return false;
    if (!did(nccl_.commInitRank(&comm_, place_.ranks, shared_->id, place_.rank), "ncclCommInitRank")) return false;
    if (o_.split < 1) return true;
    whole_ = comm_;
    const int part = place_.rank % o_.split;
    if (!did(nccl_.commSplit(whole_, part, place_.rank, &comm_, nullptr), "ncclCommSplit")) return false;
    place_.ranks = (place_.ranks - part + o_.split - 1) / o_.split;
    place_.rank /= o_.split;
    return true;
  }

  // A first communicator outlives the others: NCCL 2.28 and 2.29 forget a plugin's name when they unload it, and take
  // another transport for the next communicator.
  bool manyLives() {
    const Place whole = place_;
    if (!connect()) return false;
    const Comm first[] = {comm_, whole_};
    place_ = whole;
    whole_ = nullptr;
    bool good = true;
    for (life_ = 0; good && life_ < o_.cycles; ++life_) {
      good = connect() && allSizes() && disconnect();
      if (life_ == kWarmLives - 1 || life_ == o_.cycles - 1) report("life " + std::to_string(life_ + 1));
    }
    for (const Comm comm : first) good = good && (!comm || did(nccl_.commDestroy(comm), "ncclCommDestroy"));
    report("end");
    return good;
  }

  // All ranks have ended the same lives; what NCCL does on the side is given a moment.
  void report(const std::string& when) {
    meetAll();
    usleep(200'000);
    const std::string text = textOf(takeCensus());
    fprintf(stderr, "vgpu: census rank %d %s: %s\n", globalRank_, when.c_str(), text.c_str());
    meetAll();
  }

  bool disconnect() {
    if (o_.abort && life_ % 2 == 1) return abortAll();
    if (!did(nccl_.commDestroy(comm_), "ncclCommDestroy")) return false;
    if (whole_ && !did(nccl_.commDestroy(whole_), "ncclCommDestroy")) return false;
    place_ = whole_ ? Place{globalRank_, shared_->ranks, place_.device} : place_;
    whole_ = nullptr;
    return meetAll();
  }

  bool abortAll() {
    if (!did(nccl_.commAbort(comm_), "ncclCommAbort")) return false;
    if (whole_ && !did(nccl_.commAbort(whole_), "ncclCommAbort")) return false;
    place_ = whole_ ? Place{globalRank_, shared_->ranks, place_.device} : place_;
    whole_ = nullptr;
    return meetAll();
  }

  bool allSizes() {
    const size_t element = elementSize(o_.type);
    const Counts most = countsOf(o_.collective->kind, o_.end, element, place_.ranks);
    Buffers buffers(o_, nccl_, comm_, std::max(most.send, most.receive) * element);
    if (!buffers.good()) return false;
    for (size_t size = o_.begin; size <= o_.end; size *= o_.factor) {
      const Counts counts = countsOf(o_.collective->kind, size, element, place_.ranks);
      Row row{size, counts.count, {}, {}};
      if (!onePlacement(buffers, counts, false, &row.outOfPlace)) return false;
      row.hasInPlace =
          canBeInPlace(o_.collective->kind) && o_.aggregate == 1;  // a group would add to its own results
      if (row.hasInPlace && !onePlacement(buffers, counts, true, &row.inPlace)) return false;
      if (isReporter() && life_ == 0) printRow(o_, place_.ranks, row);
    }
    return true;
  }

  // One rank speaks for all; with a split each part has the same sizes.
  bool isReporter() const { return place_.rank == 0 && (o_.split < 2 || reporterPart_ == 0); }

  bool onePlacement(Buffers& buffers, const Counts& counts, bool inPlace, Placement* out) {
    const Shape shape{o_.collective->kind, o_.type, o_.op, o_.root, place_.ranks, counts.count};
    const size_t element = elementSize(o_.type);
    char* receive = buffers.receive();
    char* send = inPlace ? receive : buffers.send();
    const Kind kind = o_.collective->kind;
    if (inPlace) {
      send += inPlaceOffset(kind, true, counts.count, place_.rank) * element;
      receive += inPlaceOffset(kind, false, counts.count, place_.rank) * element;
    }
    const Call call{send,    receive,     counts.count, element, o_.type, o_.op,
                    o_.root, place_.rank, place_.ranks, comm_,   stream_};
    return checked(shape, call, counts, inPlace, out) && timed(call, out);
  }

  bool checked(const Shape& shape, const Call& call, const Counts& counts, bool inPlace, Placement* out) {
    std::vector<char> mine(counts.send * call.element), theirs(counts.receive * call.element, '\x5a');
    fill(shape, place_.rank, mine.data(), counts.send);
    const bool holds = shape.kind != Kind::kReduce && shape.kind != Kind::kBroadcast;
    if (!inPlace) cudaMemcpy(call.receive, theirs.data(), theirs.size(), 4);
    if (!inPlace || holds || shape.kind == Kind::kReduce || place_.rank == o_.root) {
      cudaMemcpy(const_cast<void*>(call.send), mine.data(), mine.size(), 4);
    }
    if (!meetAll() || !launch(call) || !finish()) return false;
    size_t wrong = 0;
    if (o_.check && (shape.kind != Kind::kReduce || place_.rank == o_.root)) {
      cudaMemcpy(theirs.data(), call.receive, theirs.size(), 4);
      wrong = countWrong(shape, place_.rank, theirs.data(), counts.receive);
    }
    shared_->wrong.fetch_add(wrong);
    return gather({0, wrong}, out);
  }

  bool timed(const Call& call, Placement* out) {
    for (int i = 0; i < o_.warmups; ++i) {
      if (!launch(call)) return false;
    }
    if (!finish() || !meetAll()) return false;
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
  bool gather(const RankResult& mine, Placement* out) {
    shared_->results[globalRank_] = mine;
    if (!meetAll()) return false;
    *out = {};
    for (int rank = 0; rank < shared_->ranks; ++rank) {
      out->seconds = std::max(out->seconds, shared_->results[rank].seconds);
      out->wrong += shared_->results[rank].wrong;
    }
    return meetAll();
  }

  bool meetAll() { return meet(shared_); }

  bool calls(const Call& call) {
    if (o_.aggregate == 1) return did(vgpu::run(nccl_, o_.collective->kind, call), o_.collective->name);
    if (!did(nccl_.groupStart(), "ncclGroupStart")) return false;
    for (int i = 0; i < o_.aggregate; ++i) {
      if (!did(vgpu::run(nccl_, o_.collective->kind, call), o_.collective->name)) return false;
    }
    return did(nccl_.groupEnd(), "ncclGroupEnd");
  }

  bool launch(const Call& call) {
    if (o_.graphLaunches == 0) return calls(call);
    void *graph = nullptr, *executable = nullptr;
    cudaStreamBeginCapture(stream_, 2);
    const bool good = calls(call);
    if (cudaStreamEndCapture(stream_, &graph) != 0 || !good) return false;
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < o_.graphLaunches; ++i) cudaGraphLaunch(executable, stream_);
    cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    return true;
  }

  // As a framework's watchdog: waits for the stream, and aborts when NCCL has an error, since its kernels then never
  // end.
  bool finish() {
    int error = kNcclSuccess;
    while (cudaStreamQuery(stream_) != 0) {
      if (!did(nccl_.commGetAsyncError(comm_, &error), "ncclCommGetAsyncError")) return false;
      if (error != kNcclSuccess) break;
      usleep(100);
    }
    if (error == kNcclSuccess) nccl_.commGetAsyncError(comm_, &error);
    if (did(error, "asynchronous")) return true;
    nccl_.commAbort(comm_);
    return false;
  }

  const Options& o_;
  const Nccl& nccl_;
  Place place_;
  Shared* shared_;
  Comm comm_ = nullptr, whole_ = nullptr;
  CudaStream stream_ = nullptr;
  int life_ = 0;
  const int globalRank_ = place_.rank;
  const int reporterPart_ = o_.split > 1 ? globalRank_ % o_.split : 0;
};

}  // namespace

bool runRank(const Options& options, const Nccl& nccl, const Place& place, Shared* shared) {
  return Rank(options, nccl, place, shared).run();
}

}  // namespace polyrail::vgpu
