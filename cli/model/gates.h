// SPDX-License-Identifier: Apache-2.0
// Which entries NCCL would refuse, and why, in words: what no kernel exists for, what the communicator's shape rules
// out, what the operation and type rule out, what NCCL_ALGO and NCCL_PROTO leave, and what the machine lacks as far
// as a log's cost table shows it. From NCCL's src/enqueue.cc updateCollCostTable, src/graph/tuning.cc and
// src/device/generate.py, 2.22.3 to 2.30.7. Pure; any thread.
#pragma once

#include <string>

#include "cli/model/env_filter.h"
#include "cli/model/predicted_time.h"

namespace polyrail::nccl {

struct GateContext {
  uint64_t ranks = 2, nodes = 1;
  int version = kReferenceVersion;
  // As nccl-tests names them ("float", "half", "bfloat16", "sum", "avg"); "" when not said: assumed to be supported.
  std::string type, redop;
  EnvFilter filter;
  const CostModel* table = nullptr;  // not owned; null when no log says what the machine allows
};

enum class Verdict {
  kAllowed,
  kRefused,
  kDepends,  // on the machine, which nothing here describes
};

struct GateAnswer {
  Verdict verdict = Verdict::kAllowed;
  std::string why;  // one clause; empty when allowed
};

GateAnswer gate(const GateContext& context, Collective c, Algorithm a, Protocol p);

// Sets to -1 what is refused, and weighs fp8 rings down as NCCL does: the table a tuner would be given. `times` come
// from predictedTimes.
void applyGates(const GateContext& context, Collective c, CostTimes& times);

}  // namespace polyrail::nccl
