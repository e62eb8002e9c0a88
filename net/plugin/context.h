// SPDX-License-Identifier: Apache-2.0
// What one init of NCCL gets: its logger, its traffic class, the list of devices as it may see them, and connections
// on their way. From ABI v11 on there is one for each communicator; before, one for the process. Its calls come from
// NCCL's service threads, several at a time where it is shared.
#pragma once

#include <atomic>
#include <memory>

#include "common/log.h"
#include "common/nccl/profiler_abi.h"
#include "net/connect/handshake.h"
#include "net/plugin/comm_end.h"
#include "net/plugin/dials.h"
#include "net/plugin/hints.h"
#include "net/plugin/library.h"

namespace polyrail::net {

// A result and, when it is none, what to say once.
struct Verdict {
  Outcome outcome = Outcome::kOk;
  std::string why;
};

class Context {
 public:
  // `owner`: whose log it is alone, null when it is shared.
  Context(Library& library, Node::Fusion fusion, const Log& log, nccl::LogFunction owner,
          nccl::ProfilerCallback profiler)
      : library_(library), node_(library.node(fusion)), log_(log), logger_(owner), profile_(profiler) {}

  Library& library() { return library_; }
  Node& node() { return node_; }
  NodeView& view() { return view_; }
  const Log& log() const { return log_; }
  nccl::LogFunction logger() const { return logger_; }
  nccl::ProfilerCallback profile() const { return profile_; }
  Context* older = nullptr;  // of life.cc: whose init came before

  Hints& hints() { return hints_; }
  void setTrafficClass(int trafficClass) { trafficClass_ = trafficClass; }

  // Called again with the same handle memory until *end is set. `trafficClass`: of this connection, or kNetUndefined.
  Verdict connect(int device, const void* handle, int trafficClass, std::unique_ptr<CommEnd>* end);

  // Ends one connect that NCCL has given up without a word: within its deadline nobody called again.
  void endAbandoned();

  // For listeners.
  HandshakeOptions handshakeOptions(int device, int trafficClass) const;
  Result<CommOptions> commOptions(int device, int trafficClass);
  Result<std::unique_ptr<CommEnd>> finish(int device, CommEnd::Parts parts, Handshake& handshake);

 private:
  int trafficClassOr(int trafficClass) const;
  Status dial(Dial& dial);
  Verdict advance(Dial& dial, std::unique_ptr<CommEnd>* end);
  Verdict opened(Dial& dial, std::unique_ptr<CommEnd>* end);
  bool mayRetry(Dial& dial);
  int64_t handshakeTimeoutNs() const;

  Library& library_;
  Node& node_;
  NodeView view_;
  const Log log_;
  const nccl::LogFunction logger_;
  const nccl::ProfilerCallback profile_;
  int trafficClass_ = nccl::kNetUndefined;
  Hints hints_;
  std::atomic<unsigned> comms_{0};
  Dials dials_;
};

}  // namespace polyrail::net
