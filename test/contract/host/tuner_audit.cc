// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/tuner_audit.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace polyrail::contract {
namespace {

void auditEntry(const Outcome& o, int a, int p, std::vector<std::string>& faults) {
  const float before = o.before.at(a, p), after = o.after.at(a, p);
  if (std::bit_cast<uint32_t>(before) == std::bit_cast<uint32_t>(after)) return;
  const auto say = [&](const char* what) {
    faults.push_back(fmt::format("entry [{}][{}] {} -> {}: {}", a, p, before, after, what));
  };
  if (before == nccl::kCostIgnore) return say("a combination that NCCL does not allow became eligible");
  if (std::isnan(after)) return say("not a number");
  if (after < 0) return say("a negative entry wins in 2.31");
  if (std::isinf(after)) return say("infinite: never eligible, though allowed");
}

void auditTie(const Outcome& o, std::vector<std::string>& faults) {
  if (!o.pick) return;
  int least = 0;
  for (int a = 0; a < o.after.algorithms(); a++)
    for (int p = 0; p < nccl::kNumProtocols; p++) least += o.after.at(a, p) == o.pick->cost;
  if (least > 1) faults.push_back("relies on a tie: 2.30 takes the first, 2.31 the last");
}

// Where NCCL runs on the channels asked for, whether they exist or not.
bool isUnclamped(const CommShape& shape, const Call& call, const Outcome& o) {
  if (call.allGatherV) return true;
  Call anySize = call;
  anySize.bytes = 1;
  return o.pick && !planFor(shape, anySize, *o.pick, 0, nccl::kReferenceVersion).clamped;
}

}  // namespace

void auditAnswer(const CommShape& shape, const Call& call, Outcome& o) {
  for (int a = 0; a < o.after.algorithms(); a++)
    for (int p = 0; p < nccl::kNumProtocols; p++) auditEntry(o, a, p, o.faults);
  if (!o.after.guardsIntact()) o.faults.push_back("wrote outside the table");
  if (!o.before.sameBits(o.after)) auditTie(o, o.faults);
  const int channels = o.channelsAnswer;
  if (channels < 0 || channels > nccl::kMaxChannels)
    o.faults.push_back(fmt::format("{} channels: an 8-bit field, and divided by", channels));
  if (channels > shape.channels && isUnclamped(shape, call, o))
    o.faults.push_back(fmt::format("{} channels where NCCL does not clamp to its {}", channels, shape.channels));
}

void auditChunk(const ChunkCall& chunk, Outcome& o) {
  if (chunk.used == 0)
    o.faults.push_back(fmt::format("chunk of {} bytes is below protocol {}'s grain: NCCL divides by zero",
                                   chunk.answered, chunk.protocol));
}

}  // namespace polyrail::contract
