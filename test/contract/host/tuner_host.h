// SPDX-License-Identifier: Apache-2.0
// One copy of NCCL as a tuner plugin sees it: loads the plugin, makes communicators, asks for each collective as the
// release does, picks as the release picks, and notes every breach of the contract. Two hosts on one file are two
// NCCLs in one process. As in NCCL, create() runs init outside any lock, so threads may call it at once, and ask()
// likewise on different communicators; load() and unload() are the owner's.
#pragma once

#include <string>
#include <vector>

#include "test/contract/host/bound_tuner.h"
#include "test/contract/host/nccl_release.h"
#include "test/contract/host/schedule.h"

namespace polyrail::contract {

struct Communicator {
  CommShape shape;
  nccl::TunerConstantsV5 constants = {};
  CostModel costs = {};
  void* context = nullptr;
};

struct ChunkCall {
  Slice slice;
  int algorithm, protocol;
  size_t offered = 0, answered = 0;
  size_t used = 0;  // after NCCL's clamp and rounding to the grain
};

// What came of one collective. `faults` is empty for a plugin that keeps the contract.
struct Outcome {
  explicit Outcome(int algorithms) : before(algorithms), after(algorithms) {}
  CostTable before, after;
  int channelsAnswer = 0;                   // *nChannels after the call
  std::optional<nccl::Selection> ncclPick;  // without a plugin
  std::optional<nccl::Selection> pick;      // with it; its cost is what ncclGroupSimulateEnd reports
  int channels = 0;                         // that run
  std::vector<ChunkCall> chunks;
  std::vector<std::string> faults;

  bool untouched() const { return before.sameBits(after) && channelsAnswer == 0; }
};

class TunerHost {
 public:
  // `newestAbi` below the release's own makes NCCL use its shim for an older table. `log` may be null.
  static Result<TunerHost> load(const std::string& plugin, const NcclRelease& release, nccl::LogFunction log,
                                int newestAbi = 99);

  int abi() const { return tuner_.abi; }
  const char* name() const { return tuner_.name; }
  const NcclRelease& release() const { return release_; }

  // An init that does not succeed fails the communicator: that is the error returned.
  Result<Communicator> create(CommShape shape) const;
  // Prices the calls that follow; the default reads the constants as init left them.
  static void setCosts(Communicator& comm, CostModel costs) { comm.costs = std::move(costs); }
  Outcome ask(const Communicator& comm, const Call& call) const;
  nccl::Result destroy(Communicator& comm) const;
  // dlclose. REQUIRES: every communicator destroyed.
  void unload() { library_.close(); }

 private:
  TunerHost(Library library, BoundTuner tuner, const NcclRelease& release, nccl::LogFunction log)
      : library_(std::move(library)), tuner_(std::move(tuner)), release_(release), log_(log) {}
  void askNative21(const Communicator& comm, const Call& call, Outcome& outcome) const;
  void askTable(const Communicator& comm, const Call& call, Outcome& outcome) const;
  void schedule(const Communicator& comm, const Call& call, Outcome& outcome) const;
  void askChunk(const Communicator& comm, const Call& call, ChunkCall& chunk, Outcome& outcome) const;

  Library library_;
  BoundTuner tuner_;
  NcclRelease release_;
  nccl::LogFunction log_;
};

}  // namespace polyrail::contract
