// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/rank.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "test/vgpu/driver/abort.h"
#include "test/vgpu/driver/buffers.h"
#include "test/vgpu/driver/census.h"
#include "test/vgpu/driver/cuda.h"
#include "test/vgpu/driver/data.h"
#include "test/vgpu/driver/measure.h"
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
  bool did(int error, const char* what) { return succeeded(nccl_, comm_, place_.rank, error, what); }

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

  // All ranks have ended the same lives. The first census is what later ones are compared with.
  void report(const std::string& when) {
    meetAll();
    const Census census = settledCensus(early_ ? &*early_ : nullptr);
    if (!early_) early_ = census;
    fprintf(stderr, "vgpu: census rank %d %s: %s\n", globalRank_, when.c_str(), textOf(census).c_str());
    meetAll();
  }

  bool disconnect() {
    const bool aborts = o_.abort > 0 && life_ % 2 == 1;
    if (aborts && o_.abort == 2 && !abortAmidWork(o_, nccl_, {place_, globalRank_, comm_, stream_}, &comm_))
      return false;
    const auto end = aborts ? nccl_.commAbort : nccl_.commDestroy;
    for (const Comm comm : {comm_, whole_}) {
      if (comm && !did(end(comm), aborts ? "ncclCommAbort" : "ncclCommDestroy")) return false;
    }
    if (whole_) place_ = {globalRank_, shared_->ranks, place_.device};
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
      Measure measure(o_, nccl_, shared_, {place_, globalRank_, comm_, stream_});
      if (!measure.run(buffers, counts, false, &row.outOfPlace)) return false;
      row.hasInPlace = o_.inPlace && canBeInPlace(o_.collective->kind) &&
                       o_.aggregate == 1;  // a group would add to its own results
      if (row.hasInPlace && !measure.run(buffers, counts, true, &row.inPlace)) return false;
      if (isReporter() && life_ == 0) printRow(o_, place_.ranks, row);
    }
    if (life_ == 0) fprintf(stderr, "vgpu: traffic rank %d: %s\n", globalRank_, traffic().c_str());
    return true;
  }

  // One rank speaks for all; with a split each part has the same sizes.
  bool isReporter() const { return place_.rank == 0 && (o_.split < 2 || reporterPart_ == 0); }

  bool meetAll() { return meet(shared_); }

  const Options& o_;
  const Nccl& nccl_;
  Place place_;
  Shared* shared_;
  Comm comm_ = nullptr, whole_ = nullptr;
  CudaStream stream_ = nullptr;
  int life_ = 0;
  std::optional<Census> early_;
  const int globalRank_ = place_.rank;
  const int reporterPart_ = o_.split > 1 ? globalRank_ % o_.split : 0;
};

}  // namespace

bool runRank(const Options& options, const Nccl& nccl, const Place& place, Shared* shared) {
  return Rank(options, nccl, place, shared).run();
}

}  // namespace polyrail::vgpu
