// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/tuner_host.h"

#include <fmt/format.h>

#include <algorithm>

#include "test/contract/host/tuner_audit.h"

namespace polyrail::contract {

Result<TunerHost> TunerHost::load(const std::string& plugin, const NcclRelease& release, nccl::LogFunction log,
                                  int newestAbi) {
  Result<Library> library = Library::open(plugin);
  if (!library.ok()) return library.status();
  std::optional<BoundTuner> tuner = bindTuner(library.value(), std::min(newestAbi, release.newestAbi));
  if (!tuner) return Status::error(plugin + " exports no tuner that NCCL " + release.name + " knows");
  return TunerHost(std::move(library).value(), *std::move(tuner), release, log);
}

Result<Communicator> TunerHost::create(CommShape shape) const {
  Communicator comm{.shape = shape, .constants = ncclConstants()};
  const nccl::Result result = tuner_.init(&comm.context, comm.shape, log_, comm.constants);
  if (result != nccl::Result::kSuccess)
    return Status::error(fmt::format("init returned {}: NCCL fails the communicator", static_cast<int>(result)));
  comm.costs = plausibleCosts(comm.constants);
  return comm;
}

nccl::Result TunerHost::destroy(Communicator& comm) const { return tuner_.finalize(comm.context); }

Outcome TunerHost::ask(const Communicator& comm, const Call& call) const {
  Outcome outcome(release_.numAlgorithms);
  outcome.before = outcome.after = fillTable(comm.shape, call, release_.numAlgorithms, comm.costs);
  outcome.ncclPick = pickFrom(release_.rule, outcome.before, outcome.before);
  if (release_.newestAbi == 2)
    askNative21(comm, call, outcome);
  else
    askTable(comm, call, outcome);
  auditAnswer(comm.shape, call, outcome);
  if (outcome.ncclPick && !outcome.pick) outcome.faults.push_back("left NCCL without any algorithm");
  if (outcome.pick) schedule(comm, call, outcome);
  return outcome;
}

void TunerHost::askTable(const Communicator& comm, const Call& call, Outcome& o) const {
  if (tuner_.getCollInfo(comm.context, call, o.after, &o.channelsAnswer) != nccl::Result::kSuccess)
    o.faults.push_back("getCollInfo failed: NCCL fails the collective");
  o.pick = pickFrom(release_.rule, o.before, o.after);
}

// 2.21 has no table: an algorithm and protocol that are both set are run as they are.
void TunerHost::askNative21(const Communicator& comm, const Call& call, Outcome& o) const {
  int algorithm = -1, protocol = -1;
  if (tuner_.v2->getCollInfo(comm.context, call.collective, call.bytes, derivedCollNetSupport(o.before),
                             derivedNvlsSupport(o.before), call.pipeOps, &algorithm, &protocol,
                             &o.channelsAnswer) != nccl::Result::kSuccess)
    o.faults.push_back("getCollInfo failed: NCCL fails the collective");
  o.pick = o.ncclPick;
  if (algorithm == -1 || protocol == -1) return;
  // NCCL_ALGO and NCCL_PROTO do not show here: what they exclude is connected all the same.
  CommShape unfiltered = comm.shape;
  std::fill(std::begin(unfiltered.enabled), std::end(unfiltered.enabled), ~0u);
  const bool sane = algorithm >= 0 && algorithm < release_.numAlgorithms && protocol >= 0 &&
                    protocol < nccl::kNumProtocols && isAllowed(unfiltered, call, algorithm, protocol);
  if (sane)
    o.pick = nccl::Selection{algorithm, protocol, o.before.at(algorithm, protocol)};
  else
    o.faults.push_back(fmt::format("2.21 would run algorithm {} protocol {} unchecked", algorithm, protocol));
}

void TunerHost::schedule(const Communicator& comm, const Call& call, Outcome& o) const {
  constexpr size_t kLargest = size_t{1} << 50;  // beyond it NCCL's own arithmetic overflows
  const bool sane = o.channelsAnswer >= 0 && o.channelsAnswer <= nccl::kMaxChannels;
  if (!sane || call.bytes > kLargest || call.allGatherV) return;
  const nccl::ChannelPlan plan = planFor(comm.shape, call, *o.pick, o.channelsAnswer, release_.version);
  o.channels = plan.running;
  for (const Slice& slice : slices(call, plan)) {
    ChunkCall chunk{slice, o.pick->algorithm, o.pick->protocol};
    askChunk(comm, call, chunk, o);
    o.chunks.push_back(chunk);
  }
}

void TunerHost::askChunk(const Communicator& comm, const Call& call, ChunkCall& chunk, Outcome& o) const {
  const size_t largest = static_cast<size_t>(largestChunk(call, *o.pick));
  const size_t grain = static_cast<size_t>(nccl::kGrainBytes[chunk.protocol]);
  chunk.offered = chunk.answered = static_cast<size_t>(modelChunk(comm.shape, call, *o.pick, chunk.slice));
  if (tuner_.getChunkSize &&
      tuner_.getChunkSize(comm.context, call, chunk.slice.bytes, chunk.algorithm, chunk.protocol,
                          chunk.slice.channels, &chunk.answered) != nccl::Result::kSuccess)
    o.faults.push_back("getChunkSize failed: NCCL fails the collective");
  chunk.used = std::min(chunk.answered, largest) / grain * grain;
  auditChunk(chunk, o);
}

}  // namespace polyrail::contract
