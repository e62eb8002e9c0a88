// SPDX-License-Identifier: Apache-2.0
// One incarnation of a path: an RC queue pair between a local and a remote rail, from INIT to ERR. A path that is
// made anew is a new Path with the next incarnation; the old one is kept in ERR until its packets' lifetime has
// passed. Set-up calls are a fixed number of control verbs each and never wait. One owner; not thread-safe.
#pragma once

#include "common/status.h"
#include "net/path/local_rail.h"

namespace polyrail::net {

struct QueueDepth {
  uint32_t send = 0, receive = 0;
};

class Path {
 public:
  Path() = default;
  ~Path() { destroy(); }
  Path(Path&& other) noexcept { *this = std::move(other); }
  Path& operator=(Path&& other) noexcept;

  // Three control verbs: makes the queue pair, takes it to INIT and asks for its ECE. `verbs`, `rail` and `cq` are
  // borrowed. The PSN should be random and `flowLabel` differ between paths that one hash must not put on one link.
  Status create(const Verbs& verbs, const LocalRail& rail, const PathSettings& settings, ibv_cq* cq, QueueDepth depth,
                uint32_t firstPsn, uint32_t flowLabel);
  // Two control verbs, RTR and RTS; with ECE at both ends four. REQUIRES: created. The MTU is the smaller of the two
  // ports'. `theirs` is what the other end's queue pair said before it went to RTR, or what it uses by now.
  Status join(const RailInfo& remote, uint32_t queuePair, uint32_t firstPsn, const Ece& theirs = {});
  // Before join: what the queue pair can. After it: what both ends use.
  const Ece& ece() const { return ece_; }
  // One control verb: to ERR, where it neither places nor sends. 0 or an errno: EIO and ENODEV when the device is
  // gone.
  int stop();
  void destroy();

  ibv_qp* queuePair() const { return qp_; }
  uint32_t number() const { return qp_ ? qp_->qp_num : 0; }
  uint32_t firstPsn() const { return firstPsn_; }
  uint32_t mtuBytes() const { return mtuBytes_; }

 private:
  Ece queryEce() const;
  Status takeEce(const Ece& theirs);
  Status modify(ibv_qp_attr& attributes, int mask, const char* state);
  ibv_ah_attr addressOf(const RailInfo& remote) const;

  const Verbs* verbs_ = nullptr;
  const LocalRail* rail_ = nullptr;
  PathSettings settings_;
  ibv_qp* qp_ = nullptr;
  Ledger::Lease lease_;  // of the queue pair
  Ece ece_;
  uint32_t firstPsn_ = 0, flowLabel_ = 0, mtuBytes_ = 0;
};

}  // namespace polyrail::net
