// SPDX-License-Identifier: Apache-2.0
// One size and placement of a run: a checked collective, then timed ones. All ranks do the same at the same time.
// Used by the rank's thread.
#pragma once

#include "test/vgpu/driver/buffers.h"
#include "test/vgpu/driver/data.h"
#include "test/vgpu/driver/rank.h"
#include "test/vgpu/driver/report.h"

namespace polyrail::vgpu {

// A rank on the communicator at hand, which may be a part of the whole.
struct Member {
  Place place;
  int globalRank;
  Comm comm;
  CudaStream stream;
};

class Measure {
 public:
  Measure(const Options& options, const Nccl& nccl, Shared* shared, const Member& who)
      : o_(options), nccl_(nccl), shared_(shared), who_(who) {}

  // False when NCCL failed; it has been said.
  bool run(const Buffers& buffers, const Counts& counts, bool inPlace, Placement* out);

 private:
  bool did(int error, const char* what) { return succeeded(nccl_, who_.comm, who_.place.rank, error, what); }
  bool checked(const Shape& shape, const Call& call, const Counts& counts, bool inPlace, Placement* out);
  bool timed(const Call& call, Placement* out);
  bool gather(const RankResult& mine, Placement* out);
  bool calls(const Call& call);
  bool launch(const Call& call);
  bool finish();

  const Options& o_;
  const Nccl& nccl_;
  Shared* shared_;
  const Member who_;
};

}  // namespace polyrail::vgpu
