// SPDX-License-Identifier: Apache-2.0
// How a job ends that is given up while it works: collectives are on their way, on the stream and on the rails, when
// ncclCommAbort is called. Runs on the rank's thread.
#pragma once

#include "test/vgpu/driver/measure.h"

namespace polyrail::vgpu {

// Launches collectives of the largest size, aborts the communicator before they are done, and waits for the stream,
// which has to end. Ranks abort one after the other, so that all but the first have lost their peers by then. *comm
// is null afterwards. False with a message when NCCL failed, or when nothing was under way.
bool abortAmidWork(const Options& options, const Nccl& nccl, const Member& who, Comm* comm);

}  // namespace polyrail::vgpu
