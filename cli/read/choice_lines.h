// SPDX-License-Identifier: Apache-2.0
// "-> Algo" lines: what NCCL chose for an operation (subsystem TUNING). Three forms (src/enqueue.cc):
//   2.20-2.22  "%ld Bytes -> Algo %d proto %d time %f"
//   2.23       "<Func>: %ld Bytes -> Algo %d proto %d time %f"
//   from 2.24  "<Func>: %ld Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}"
// The last counts the bytes of one rank for AllGather and ReduceScatter, the others the whole. Stateless.
#pragma once

#include <optional>
#include <string_view>

#include "cli/data/run.h"

namespace polyrail::read {

struct ChoiceLine {
  std::optional<nccl::Collective> collective;  // absent in the first form
  uint64_t bytes = 0;                          // as printed
  bool newForm = false;                        // of 2.24 and later
  nccl::Algorithm algorithm = nccl::Algorithm::kRing;
  nccl::Protocol protocol = nccl::Protocol::kSimple;
  std::optional<int> channels;
  std::optional<double> modelTimeUs;
};

// Absent when the message is none, or of a collective that no tuner steers.
std::optional<ChoiceLine> parseChoice(std::string_view message);

// With the bytes of the whole operation. `ranks` is asked only where the line counts one rank's; absent without it.
std::optional<LoggedChoice> asChoice(const ChoiceLine& line, nccl::Collective collective,
                                     std::optional<uint64_t> ranks);

}  // namespace polyrail::read
