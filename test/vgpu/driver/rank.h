// SPDX-License-Identifier: Apache-2.0
// One rank of a run: makes its communicator, runs every size, checks every element. Runs on one thread of its own.
#pragma once

#include "test/vgpu/driver/options.h"
#include "test/vgpu/driver/shared.h"

namespace polyrail::vgpu {

struct Place {
  int rank, ranks, device;
};

// False when NCCL failed; what it said is on stderr, in nccl-tests' words.
bool runRank(const Options& options, const Nccl& nccl, const Place& place, Shared* shared);

}  // namespace polyrail::vgpu
