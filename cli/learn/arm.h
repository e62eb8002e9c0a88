// SPDX-License-Identifier: Apache-2.0
// An arm is one way to steer NCCL that a sweep measured: an algorithm, a protocol and perhaps a channel count; no arm
// is NCCL's own choice. This says which arm a row of a run belongs to. Plain values and pure functions; any thread.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "cli/data/run.h"
#include "common/status.h"

namespace polyrail::cli {

struct Arm {
  nccl::Algorithm algorithm = nccl::Algorithm::kRing;
  nccl::Protocol protocol = nccl::Protocol::kSimple;
  std::optional<int> channels;  // absent: NCCL's own number
  auto operator<=>(const Arm&) const = default;
};

// "ring/ll128", "tree/simple x 8"; "default" for none.
std::string describe(const std::optional<Arm>& arm);

// Steered from outside in any way.
bool isForced(const Forced& forced);

// The algorithm and protocol that NCCL logged for this collective and size, when all its lines for them agree.
std::optional<Arm> loggedChoice(const Run& run, nccl::Collective collective, uint64_t totalBytes);

// The arm the row was measured with; nothing for NCCL's default. An error says why the row cannot be used: the
// environment left several algorithms or protocols open and the log does not say which one ran.
// REQUIRES: run.collective
Result<std::optional<Arm>> armOf(const Run& run, const Row& row);

}  // namespace polyrail::cli
