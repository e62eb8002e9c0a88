// SPDX-License-Identifier: Apache-2.0
// What both ends of a comm have: their paths, the bookkeeping of each path's send queue, and the error that ended it.
// Base of SendComm and RecvComm; same owner and threads as theirs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "net/data/memory_keys.h"
#include "net/data/request.h"
#include "net/path/path_set.h"

namespace polyrail::net {

class Comm {
 public:
  // Local rails of the comm, in the order of MemoryKeys.
  const std::vector<LocalRail>& localRails() const { return set_.options().rails; }
  // Empty while all is well; else one sentence with rail, peer and cause.
  const std::string& error() const { return error_; }
  // From any thread, the first one counts: the next call that finds its work not done ends the comm with this.
  void condemn(Outcome outcome, std::string why);

  // One of its completion queues. Any thread, once the comm is set up.
  bool polls(const ibv_cq* queue) const {
    return std::find(queues_.begin(), queues_.begin() + queueCount_, queue) != queues_.begin() + queueCount_;
  }

  // A word of whoever handed the comm on; not ours.
  void setOwner(void* owner) { owner_ = owner; }
  void* owner() const { return owner_; }

  enum class Peer : uint8_t { kThere, kLeft, kLost };
  // What the control channel tells of the other end: it closed its comm, or its process or host is gone. Requests
  // that do not end by themselves soon after that end with an error. Any thread.
  // The first word counts: who has left in order is not lost afterwards.
  void peerIs(Peer peer) {
    Peer there = Peer::kThere;
    peer_.compare_exchange_strong(there, peer, std::memory_order_acq_rel);
  }

 protected:
  static constexpr int kPollBatch = 16;

  Comm(const CommOptions& options, PathSet::Side side, QueueDepth depth) : set_(options, side, depth) {}
  ~Comm() = default;

  // Ends the comm; the first error stays. Returns the outcome that it stays with.
  Outcome fail(Outcome outcome, std::string why);
  Outcome failCompletion(const ibv_wc& wc, const PathSet::Line& line);
  void failPoll(unsigned rail);
  Outcome failPost(int error, const PathSet::Line& line);
  bool failed() {
    if (verdict_.load(std::memory_order_acquire) == Verdict::kSpoken) [[unlikely]]
      adopt();
    return outcome_ != Outcome::kOk;
  }
  void adopt();
  // For whoever must wait: an error when there is nobody to wait for.
  Outcome waiting() { return peer_.load(std::memory_order_relaxed) == Peer::kThere ? outcome_ : waitingForNobody(); }

  // After set-up: what polling walks over.
  void takeQueues();
  // Gives each completion of every rail to `self.complete(wc)`, in batches.
  template <typename Self>
  void pollRails(Self& self);

  PathSet set_;
  std::array<ibv_cq*, kMaxRails> queues_{};
  unsigned queueCount_ = 0;
  Outcome outcome_ = Outcome::kOk;
  enum class Verdict : uint8_t { kNone, kWriting, kSpoken };
  std::atomic<Verdict> verdict_{Verdict::kNone};
  Outcome verdictOutcome_ = Outcome::kOk;
  std::string verdictText_;
  std::string error_;
  // Scratch of polling and posting: on the stack it would need a guard in each call.
  ibv_wc wc_[kPollBatch];
  ibv_send_wr* bad_ = nullptr;

 private:
  Outcome waitingForNobody();

  // Its last words may overtake its last packets.
  static constexpr int64_t kGraceNs = 200'000'000;
  void* owner_ = nullptr;
  std::atomic<Peer> peer_{Peer::kThere};
  int64_t goneSince_ = 0;
};

template <typename Self>
void Comm::pollRails(Self& self) {
  for (unsigned i = 0; i < queueCount_; i++) {
    int n;
    do {
      n = pollCq(queues_[i], kPollBatch, wc_);
      if (n < 0) failPoll(i);
      for (int j = 0; j < n; j++) self.complete(wc_[j]);
    } while (n == kPollBatch);
  }
}

}  // namespace polyrail::net
