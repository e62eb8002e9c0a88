// SPDX-License-Identifier: Apache-2.0
// NCCL's own guess of how long each algorithm and protocol would take, rebuilt from the cost table that a log prints
// (subsystem TUNING), and the choice that follows from it when no tuner interferes. Worked out from NCCL's
// src/graph/tuning.cc ncclTopoGetAlgoTime, 2.18.5 to 2.30.7, in the float arithmetic that it uses. A log prints the
// table to one decimal, so choices at a crossing cannot be certain: DefaultChoice says when. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/data/run.h"
#include "common/nccl/version.h"

namespace polyrail::nccl {

// Microseconds by algorithm and protocol; -1 for what NCCL does not allow, as in the table that a tuner gets.
using CostTimes = std::array<std::array<float, kNumProtocols>, kNumAlgorithms>;

struct ModelShape {
  uint64_t ranks = 2, nodes = 1;
  int pool = 16;              // channels of the communicator, >= 1
  bool preAmpere = false;     // compute capability below 8.0
  bool blackwellX86 = false;  // compute capability 10.0 or more, on x86
  int version = kReferenceVersion;
};

// Sets what the GPU decides from its name as nccl-tests prints it ("NVIDIA B200"); an unknown name changes nothing.
// GB200 and its kin have ARM processors, B200 and its x86.
void takeGpu(ModelShape& shape, std::string_view gpu);

// What is asked for: total bytes as nccl-tests' size, and the operations a channel has to pipeline in the group (1
// for a single collective).
struct ModelCall {
  Collective collective = Collective::kAllReduce;
  uint64_t totalBytes = 0;
  int pipeOps = 1;  // >= 1
};

// One entry; -1 where the table has no bandwidth.
float predictedTime(const CostModel& table, const ModelShape& shape, const ModelCall& call, Algorithm a, Protocol p);

CostTimes predictedTimes(const CostModel& table, const ModelShape& shape, const ModelCall& call);

struct DefaultChoice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
  float timeUs = 0;
  // True when another entry could have won within the rounding of the printed table.
  bool closeCall = false;
};

// What NCCL takes by itself; absent when the table allows nothing for this collective. The table knows the machine
// but not the call: NVLS is only for some types and operations, so REQUIRES that the caller has set what a gate
// refuses to -1 in `times` (cli/model/gates.h) where that matters.
std::optional<DefaultChoice> defaultChoice(const CostModel& table, const ModelShape& shape, const ModelCall& call,
                                           const CostTimes& times);

// The same with predictedTimes as they are.
std::optional<DefaultChoice> defaultChoice(const CostModel& table, const ModelShape& shape, const ModelCall& call);

}  // namespace polyrail::nccl
