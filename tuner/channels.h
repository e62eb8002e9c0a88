// SPDX-License-Identifier: Apache-2.0
// How many channels really run: NCCL's own number for a collective, what a tuner's number does to it, and the second
// cap that its scheduler applies to both. Worked out from NCCL's sources (src/enqueue.cc topoGetAlgoInfo and
// scheduleCollTasksToPlan, src/graph/tuning.cc, 2.23.4 to 2.30.7) for one collective in a group with unregistered
// buffers; registration can lower the number further. Pure functions on plain values; any thread; not on the hot
// path.
#pragma once

#include <cstdint>

#include "common/nccl/terms.h"
#include "common/nccl/version.h"

namespace polyrail::nccl {

struct ChannelQuestion {
  Collective collective = Collective::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  uint64_t totalBytes = 0;  // what the tuner is asked with: nccl-tests' size; AllGather and ReduceScatter x ranks
  int ranks = 2;            // >= 2
  int nodes = 1;            // 1..ranks
  int pool = 1;             // 1..64: the communicator's channels, "%d coll channels" in the log
  int nvlsChannels = 16;    // 1..64: "%d nvls channels"; 16 on Hopper, 24 or 32 on Blackwell
  int requested = 0;        // what the tuner wrote to *nChannels, 0..64; 0: nothing
  int collNetHeads = 1;     // NICs that CollNetDirect and NVLS use, >= 1
  bool slowRing = false;    // ring bandwidth <= 12 GB/s (PCI_BW): Ring/Simple starts from 256 threads, not 512
  int version = kReferenceVersion;
};

struct ChannelPlan {
  int model = 0;    // NCCL's own number, which a request replaces
  int limit = 0;    // after the request and the pool; beyond the pool only where `clamped` is false
  int running = 0;  // channels that get work
  // Bytes of `totalBytes` below which the scheduler starts no further channel; 0 where it has no such rule.
  uint64_t bytesPerChannel = 0;
  // False where NCCL takes a request above the pool at its word and runs on channels that do not exist: CollNet, and
  // NVLS on several nodes (2.30.7 enqueue.cc:625). AllGather's is true here, but grouped broadcasts (AllGatherV) ask
  // the tuner for AllGather and do not clamp either (2.30.7 allgatherv_sched.cc:66).
  bool clamped = true;
};

// REQUIRES: the ranges stated above. 0 bytes launch nothing: 0 channels run. Before 2.23 the scheduler was another:
// `running` is then the limit, an upper bound.
ChannelPlan planChannels(const ChannelQuestion& question);

// True when some size in [fromBytes, lastBytes] really runs `channels` channels if a tuner asks for them. Not the
// same as asking at `lastBytes`: 17 cells on 16 channels run as 9. REQUIRES: 1 <= channels <= 64, from <= last.
bool channelsReachable(ChannelQuestion question, int channels, uint64_t fromBytes, uint64_t lastBytes);

// The least total bytes at which `channels` channels run if asked for. REQUIRES: channels >= 1.
uint64_t leastBytesFor(const ChannelQuestion& question, int channels);

}  // namespace polyrail::nccl
