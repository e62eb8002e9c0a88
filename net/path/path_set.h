// SPDX-License-Identifier: Apache-2.0
// The rails and paths of one comm, and how they come to be: one completion queue a rail, one queue pair a path, the
// control memory and its registrations. Set-up is a list of small steps, so that connect and accept never block and
// make at most kVerbsPerCall control verbs a call. One owner, one thread at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/clock.h"
#include "net/path/control_memory.h"
#include "net/path/layout.h"
#include "net/path/path.h"

namespace polyrail::net {

inline constexpr int kVerbsPerCall = 4;

struct CommOptions {
  const Verbs* verbs = nullptr;  // borrowed, as the clock; both outlive the comm
  const Clock* clock = nullptr;
  std::vector<LocalRail> rails;  // 1..kMaxRails: the comm's own, then those of siblings
  unsigned standbys = 0;         // how many of them are siblings', which cost nothing until a path needs one
  PathSettings path;
  uint64_t seed = 0;        // of PSNs and flow labels; random outside of tests
  bool outOfOrder = false;  // negotiated: kFeatureOutOfOrder
  bool flush = false;       // receivers only: iflush will be called
  bool equalSplit = false;  // fixed equal shares instead of measured rates, to compare
  // Senders only: bytes of the largest chunk, kMinChunk to kMaxChunk, as hints of NCCL say now. Null: kMaxChunk.
  std::shared_ptr<const std::atomic<size_t>> largestChunk;
  bool failover = false;  // negotiated: kFeatureFailover
  bool standby = false;   // negotiated: kFeatureStandby; the peer may have siblings where we have none
  bool borrow = false;    // senders only: siblings help while the only own rail is slow; needs standby
  bool unfenced = false;  // tests only: the receiver answers without fencing, to show that they find it out
  RepairTimes times{};
  int subnetBits = 24;  // of an IPv4 GID; which rails of siblings belong together
  // The rail as it is now (GID, LID, MTU), for a path that is made anew; may be empty. Called by control.
  std::function<Result<LocalRail>(unsigned rail)> refresh{};
};

struct PathPlan {
  uint8_t senderRail = 0, receiverRail = 0;
};

class PathSet {
 public:
  enum class Side : uint8_t { kSender, kReceiver };

  struct Rail {
    LocalRail local;
    ibv_cq* cq = nullptr;
    ControlRegion control;  // the comm's control memory on this rail's PD
    uint32_t paths = 0;
  };
  struct Line {  // a path and what belongs to this incarnation of it
    Path path;
    uint16_t incarnation = 1;
    uint8_t localRail = 0, remoteRail = 0;
    uint8_t cable = 0;     // of a bond, from 1; 0: whichever
    ControlMemory memory;  // the sender's grant ring, then the mailbox
    ControlRegion region;
    Region remoteRing;  // sender: the size records; receiver: the grant ring
    Region remoteMailbox;
    RailInfo remote;
    uint32_t remoteQueuePair = 0;
  };

  PathSet(const CommOptions& options, Side side, QueueDepth depth);
  ~PathSet();
  PathSet(const PathSet&) = delete;
  PathSet& operator=(const PathSet&) = delete;

  // So many entries more in each rail's completion queue. REQUIRES: before prepare.
  void reserveCompletions(uint32_t entries) { extraEntries_ = entries; }
  // Sets the plan and allocates; no verbs. `controlBytes` of memory are registered on every rail.
  Status plan(std::span<const PathPlan> plan, size_t controlBytes);
  // Each call does the next few steps; true when all are done.
  Result<bool> prepare();
  Result<bool> join(std::span<const RailInfo> remoteRails, std::span<const PathEnd> remote);

  std::vector<PathEnd> describe() const;

  // A new incarnation in place of a path's old one, which is kept until `until`: its queue pair in ERR, its ring
  // registered. Three control verbs, one more where the rail must be looked at again, two more where it is the first
  // path on a sibling's. After an error nothing has changed.
  Status renew(unsigned path, uint16_t incarnation, int64_t until);
  // Between which rails the path's next incarnation will be; `path` may be one more than there are.
  Status aim(unsigned path, PathPlan rails, const RailInfo& remote);
  // As the handshake told them; those of siblings last.
  const std::vector<RailInfo>& remoteRails() const { return remoteRails_; }
  // Our own, without those of siblings.
  size_t ownRails() const { return rails_.size() - options_.standbys; }
  // Two control verbs, on a bond three: connects what renew() made.
  Status joinAnew(unsigned path, const RailInfo& remote, const PathEnd& end);
  PathEnd describe(unsigned path) const;
  // Destroys what has been kept long enough.
  void sweep(int64_t now);
  const CommOptions& options() const { return options_; }
  std::vector<Rail>& rails() { return rails_; }
  const std::vector<Rail>& rails() const { return rails_; }
  std::vector<std::unique_ptr<Line>>& lines() { return lines_; }
  const std::vector<std::unique_ptr<Line>>& lines() const { return lines_; }
  const ControlMemory& control() const { return control_; }
  uint32_t random();

 private:
  Status prepareRail(Rail& rail);
  // A rail's completion queue holds so many paths.
  uint32_t roomOn(const Rail& rail) const { return std::max(1u, rail.paths) + (options_.failover ? 1 : 0); }
  Status prepareLine(Line& line);
  Status joinLine(Line& line, const RailInfo& remote, const PathEnd& end);
  void chooseCables();
  void place(Line& line);
  Status makeQueue(Rail& rail);

  const CommOptions options_;
  const Side side_;
  const QueueDepth depth_;
  uint64_t randomState_;
  uint32_t flowBase_ = 0;
  ControlMemory control_;
  std::vector<Rail> rails_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<RailInfo> remoteRails_;  // as the handshake told them
  struct Kept {
    std::unique_ptr<Line> line;
    int64_t until;
  };
  std::vector<Kept> kept_;
  size_t prepared_ = 0, joined_ = 0, placed_ = 0;
  uint32_t extraEntries_ = 0;
};

}  // namespace polyrail::net
