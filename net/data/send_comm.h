// SPDX-License-Identifier: Apache-2.0
// The sending end of a comm. Set-up, in order: plan, prepare until true, describe, join until true, open. Then isend
// and test, from one thread at a time; and from then on serve and hear, from control, at any time. The destructor may
// come at any moment, with work under way and control gone; it never waits. The caller keeps buffers and keys until
// the request is done.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "net/data/borrowing.h"
#include "net/data/comm.h"
#include "net/data/work_id.h"
#include "net/schedule/scheduler.h"
#include "net/telemetry/path_samples.h"

namespace polyrail::net {

class SendComm : public Comm {
 public:
  explicit SendComm(const CommOptions& options);
  ~SendComm() { countLoans(0); }

  // The paths as the receiver listed them in WELCOME.
  Status plan(std::span<const PathPlan> plan);
  Result<bool> prepare() { return set_.prepare(); }  // true: done; at most kVerbsPerCall control verbs a call
  std::vector<PathEnd> describe() const { return set_.describe(); }  // for PATHS
  // With what WELCOME says of the receiver; the same arguments each time.
  Result<bool> join(std::span<const RailInfo> rails, std::span<const PathEnd> paths);
  void open() { open_ = true; }  // READY has come

  // Control's turn: looks after paths, runs repairs (send_repair.cc) and brings paths back (send_revive.cc). When it
  // wants to be called again, in ns of the comm's clock, or kNever.
  int64_t serve(int64_t now);
  // A message of the peer's control channel.
  void hear(const Frame& frame, std::span<const uint8_t> body, int64_t now);
  // See wantsMemory().
  void memoryIs(unsigned rail, const Status& status);

  // `*request` stays null when nothing was granted for this tag yet: call again with the same arguments. A message
  // longer than the receive that it meets, or than kMaxChunks work requests carry, ends the comm on both sides.
  Outcome isend(const void* data, size_t size, int tag, const MemoryKeys& keys, Request** request);
  Outcome test(Request& request, int* done, int* sizes);
  // The user takes this memory back: any thread, before the keys go. A request under way that names it can never be
  // done, and control must not post it again: it ends the comm, on this side only.
  void withdraw(const MemoryKeys& keys);

  // What an operator wants to know of the end, but for what only the plugin knows. REQUIRES: a call has returned an
  // error; by the thread that it was returned to.
  Evidence evidence() const;
  // What it shows of itself, into a view that nobody else fills; from control, as serve().
  void show(CommView* view);

  const Scheduler& scheduler() const { return scheduler_; }
  uint64_t bytesPosted(unsigned path) const { return paths_[path].bytes; }

 private:
  friend class Comm;

  struct Entry : Request {  // one request of a granted slot, and the send that met it
    GrantLine grant;
    const char* data;
    const MemoryKeys* keys;
    uint64_t slot, size, chunkBytes;
    uint16_t chunks, nextChunk, left;  // left: chunks without a successful completion
    uint16_t missing;                  // chunks that a repair has to bind anew
    uint32_t immediate;                // of chunk 0, not last
    uint8_t index;                     // in the table of entries
    Entry *nextPending, *nextMissing;
    std::array<uint8_t, kMaxChunks> bound;  // path of each chunk, and kCompleted: what a repair needs to know
  };
  static constexpr uint8_t kCompleted = 0x80, kPathBits = 0x7f, kMissing = 0x7f;  // of `bound`
  struct Slot {
    uint64_t number;
    uint8_t unused;  // granted and met by no send, one bit a request
    uint8_t inUse;   // met by a send that is not reported done
    uint8_t requests;
  };
  struct PathState {
    ibv_qp* queuePair = nullptr;
    uint16_t posted = 0, sent = 0;  // immediates: allowed and sent, modulo 2^16
    uint16_t queueFree = 0;
    uint16_t incarnation = 0;
    uint8_t localRail = 0, remoteRail = 0;
    uint32_t completions = 0;
    uint64_t bytes = 0;
    uint64_t workId = 0;       // of entry 0, chunk 0
    uint16_t untilSample = 1;  // chunks to be posted until the time of one is taken
    ibv_send_wr write{};       // a chunk's work request, filled in anew for each
    ibv_sge piece{};
  };

  // `credit` of the receives that the peer counts as `posted` are there to be used.
  void startPath(unsigned path, const PathSet::Line& line, uint16_t posted, uint16_t credit);
  // Grants and matching: send_grants.cc
  void takeGrants();
  bool takeGrant(uint64_t number);
  [[gnu::cold]] bool failGrant(unsigned requests);
  void takeCredit();
  void takeCredit(const uint16_t* posted);
  Entry* match(int tag);
  Entry* use(uint64_t number, unsigned request);
  // Binding and posting: send_pump.cc
  void begin(Entry& entry, const void* data, size_t size, const MemoryKeys& keys);
  bool sendAtOnce(Entry& entry, uint64_t size);
  void enqueue(Entry& entry);
  void cut(Entry& entry);
  void pump();
  bool bindNext(Entry& entry);
  [[gnu::cold]] bool bindMissing(Entry& entry);
  bool bind(Entry& entry, unsigned chunk);
  int choose(Entry& entry, uint64_t length);
  int chooseSmall(uint64_t length, uint32_t eligible);
  static uint64_t lengthOf(const Entry& entry, unsigned chunk) {
    return std::min(entry.chunkBytes, entry.size - chunk * entry.chunkBytes);
  }
  bool post(Entry& entry, unsigned chunk, unsigned path, uint64_t length);
  bool postParts(Entry& entry, unsigned chunk, unsigned path, uint64_t length);
  void showTraffic(unsigned path, PathRecord* record);
  [[gnu::cold]] void beginSample(unsigned path, uint64_t length);
  [[gnu::cold]] void endSample(const ibv_wc& wc, WorkId id);
  bool submit(unsigned path, ibv_send_wr* first, unsigned count);
  [[gnu::cold]] bool brokenPost(unsigned path, int error);
  void writeSizeRecord(Entry& entry, unsigned path, ibv_send_wr* wr, ibv_sge* sge);
  [[gnu::cold]] void refuse(Entry& entry, uint64_t size);
  uint32_t usable() const { return kBare ? live_ : live_ & ~resting_; }
  void refreshEligible(unsigned path) {
    const bool eligible = paths_[path].posted != paths_[path].sent && paths_[path].queueFree >= kLongestForm &&
                          (kBare || (usable() >> path & 1));
    eligible_ = (eligible_ & ~(1u << path)) | (eligible ? 1u << path : 0u);
  }
  // Progress: send_comm.cc
  Outcome isendInside(const void* data, size_t size, int tag, const MemoryKeys& keys, Request** request);
  Outcome testInside(Entry& entry, int* done, int* sizes);
  void progress();
  void complete(const ibv_wc& wc);
  [[gnu::cold]] void completeOther(const ibv_wc& wc, WorkId id);
  static double nominalRate(const RailInfo& local, const RailInfo& remote);  // bytes a ns
  // Repair: send_repair.cc
  static uint32_t idleQueue();  // places in the send queue when nothing is posted
  void lose(unsigned path, const Failure& failure);
  void turnRepair(int64_t now);
  void onPathDown(const PathDown& m, int64_t now);
  void onFenced(const Fenced& m, int64_t now);
  // What the answer says of every chunk that was bound to a fenced path. False when the comm has ended.
  bool settle(const Fenced& m);
  bool settle(Entry& entry, const Fenced::Request* answer, bool reported);
  void settleChunk(Entry& entry, unsigned chunk, bool arrived);
  bool disagree(uint64_t slot);
  void retire(unsigned path, int64_t now);
  void takeRing(unsigned path);
  // Fail-back: send_revive.cc
  void turnRevival(int64_t now);
  void scheduleTry(unsigned path, int64_t now);
  void make(unsigned path, int64_t now);
  void giveUp(unsigned path, int64_t now, const Failure& failure);
  void onMade(const NewPath& m, int64_t now);
  void onLive(const Live& m, int64_t now);
  int64_t due(int64_t now) const;
  // Standby: send_standby.cc
  // Rails that have no path between them get one while no other is left.
  void detour(int64_t now);
  void orderDetours();
  bool nextDetour(PathPlan* rails);
  [[gnu::cold]] uint32_t reach(Entry& entry);
  bool reaches(Entry& entry, unsigned path) const;
  // The paths that may take a chunk of it now, one bit each.
  uint32_t eligibleFor(Entry& entry) {
    if (!kBare && lent_) [[unlikely]]
      return reach(entry);
    return eligible_;
  }
  // What is posted and has not completed: act(path, bytes of a chunk).
  template <typename Act>
  void forEachUnderWay(Act&& act) const;
  void countChunks(int64_t now);
  void borrowed(unsigned path, int64_t now);
  bool plannedRemote(unsigned rail) const;
  void giveBack(int64_t now);
  bool ownHolds(int64_t now) const;
  void ended(unsigned path);
  void setLent(uint32_t paths) {
    lent_ = paths;
    atOnceBelow_ = paths ? 0 : kMeasured;
  }
  // Borrowing, while the only own rail is slow: send_borrow.cc
  bool mayBorrow() const {
    const CommOptions& o = set_.options();
    return o.borrow && o.standby && ownRails() == 1 && !o.equalSplit;
  }
  bool isPaced(unsigned path) const {
    return path >= planned_ && borrowing_.phase != Borrowing::Phase::kOff && (live_ & plannedPaths()) != 0;
  }
  void turnBorrowing(int64_t now);
  std::optional<RailPace> lookAtRail(int64_t now);
  void judgeRail(const RailPace& pace, int64_t now);
  void takeNext(int64_t now);
  bool takePair(unsigned path, PathPlan rails, int64_t now);
  void judgeTrial(const RailPace& pace, int64_t now);
  void judgeBorrowing(const RailPace& pace, int64_t now);
  void endBorrowing(int64_t now, int64_t rest);
  void failTrial(int64_t now);
  void setAllowances();
  // Rails on which it counts as a borrower, one bit each.
  void countLoans(uint32_t rails);
  std::vector<PathPlan> pairsToBorrow();
  double ownNominal() const;
  double pairNominal(PathPlan rails) const;
  uint64_t atOnceBelow() const { return kBare ? kMeasured : atOnceBelow_; }
  bool measures(uint64_t bytes) const { return bytes >= kMeasured && several_; }

  static constexpr uint16_t kLongestForm = 3;  // work requests of a chunk
  // Smaller chunks are not worth a look at the clock, nor at every path.
  static constexpr uint64_t kMeasured = 16 << 10;

  Scheduler scheduler_;
  std::array<PathState, kMaxCommPaths> paths_{};
  std::array<PathSamples, kMaxCommPaths> samples_{};
  std::unique_ptr<Entry[]> entries_;  // kSlots x kGroup
  std::array<Slot, kSlots> slots_{};
  uint64_t oldestOpen_ = 1, newest_ = 0;  // slots with unused requests lie in [oldestOpen_, newest_]
  unsigned grantPath_ = 0;
  uint32_t eligible_ = 0;                                  // paths with credit and room in the send queue
  Entry *pendingHead_ = nullptr, *pendingTail_ = nullptr;  // sends with chunks bound to no path, oldest first
  Entry* missingHead_ = nullptr;                           // sends with chunks that a repair found missing
  const GrantRing* ring_ = nullptr;                        // of the grant path
  size_t mostChunk_ = 0;                                   // what the rails take at once
  unsigned smallPath_ = 0, smallCount_ = 0;                // where small messages go, and for how many more
  uint64_t backlog_ = 0;                                   // bytes of those chunks
  uint32_t measuring_ = 0;                                 // chunks under way whose time matters
  int64_t now_ = 0;                                        // as last read
  bool open_ = false, several_ = false;                    // several paths
  struct Repair {
    uint32_t paths = 0;  // being fenced, one bit each; 0: no repair
    uint32_t epoch = 0;  // of the last FENCE
    bool asked = false;  // FENCE is said
  } repair_;
  std::vector<PathPlan> detours_;    // pairs of rails, the best first; empty until one is needed
  size_t nextDetour_ = 0;            // to be tried
  uint32_t lent_ = 0, resting_ = 0;  // live paths on siblings' rails; those that take no more work
  // Smaller messages need no look at which paths reach them: kMeasured, and 0 while any path is lent.
  uint64_t atOnceBelow_ = kMeasured;
  std::array<double, kMaxCommPaths> nominal_{};  // bytes a ns
  Borrowing borrowing_;
  PaceWindow window_;
  std::array<Allowance, kMaxCommPaths> allowance_{};
  std::array<uint64_t, kMaxCommPaths> counted_{};  // bytes that completed, as told to RailUse
  uint64_t done_ = 0, doneOwn_ = 0;                // the same of all paths, and of those of the plan
  uint32_t loans_ = 0;                             // rails on which it counts as a borrower
};

template <typename Act>
void SendComm::forEachUnderWay(Act&& act) const {
  for (unsigned s = 0; s < kSlots; s++)
    for (unsigned rest = slots_[s].inUse; rest; rest &= rest - 1) {
      const Entry& entry = entries_[s * kGroup + static_cast<unsigned>(std::countr_zero(rest))];
      for (unsigned chunk = 0; chunk < entry.nextChunk; chunk++)
        if (entry.bound[chunk] < kMaxCommPaths) act(unsigned{entry.bound[chunk]}, lengthOf(entry, chunk));
    }
}

}  // namespace polyrail::net
