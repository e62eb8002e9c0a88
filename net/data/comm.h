// SPDX-License-Identifier: Apache-2.0
// What both ends of a comm have: their paths and what became of them, the error that ended it, and the messages that
// control carries between the ends. Base of SendComm and RecvComm; same owner and threads as theirs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "net/data/gate.h"
#include "net/data/memory_keys.h"
#include "net/data/path_care.h"
#include "net/data/request.h"
#include "net/data/work_id.h"
#include "net/path/path_set.h"
#include "net/report/evidence.h"
#include "net/telemetry/comm_view.h"
#include "net/telemetry/recorder.h"
#include "net/wire/repair.h"

namespace polyrail::net {

class Comm {
 public:
  // Local rails of the comm, in the order of MemoryKeys; those of siblings last.
  const std::vector<LocalRail>& localRails() const { return set_.options().rails; }
  // Empty while all is well; else one sentence with rail, peer and cause.
  const std::string& error() const { return error_; }
  // From any thread, the first one counts: the next call that finds its work not done ends the comm with this.
  void condemn(Outcome outcome, std::string why);

  // One of its completion queues. Any thread, once the comm is set up.
  bool polls(const ibv_cq* queue) const {
    const std::vector<PathSet::Rail>& rails = set_.rails();
    return std::any_of(rails.begin(), rails.end(), [&](const PathSet::Rail& r) { return r.cq == queue; });
  }
  // Messages for the peer (frames), oldest first; whoever turns control sends them on.
  std::vector<std::vector<uint8_t>> takeOutbox() {
    const Gate::Hold hold(gate_);
    return std::exchange(outbox_, {});
  }
  // Called from the hot path when control's turn must not wait for its time. Set before traffic.
  void setWaker(void (*wake)(void* who), void* who) { wake_ = wake, waked_ = who; }
  // What serve() returns when there is nothing to wait for.
  static constexpr int64_t kNever = INT64_MAX;
  size_t ownRails() const { return set_.ownRails(); }
  // Siblings' rails on which the user's memory must be registered before data may take them, one bit each. Whoever
  // turns the comm does that, changes the keys that requests under way may be read by while it holds the gate, and
  // says what came of it.
  uint32_t wantsMemory() {
    const Gate::Hold hold(gate_);
    return memoryWanted_;
  }
  Gate& gate() { return gate_; }

  bool repairs() const { return set_.options().failover; }
  // Paths that carry data, one bit each. For whoever turns the comm.
  uint32_t livePaths() const { return live_; }
  struct News {
    unsigned rail = 0;  // local
    const char* kind;   // what is said of the rail: "failed"
    std::string text;   // one sentence
  };
  // What has happened to its paths since the last call: for the log.
  std::vector<News> takeNews() {
    const Gate::Hold hold(gate_);
    return std::exchange(news_, {});
  }

  // What has happened to it last; it may be read from any thread.
  const Recorder& recorder() const { return recorder_; }

  // A word of whoever handed the comm on; not ours.
  void setOwner(void* owner) { owner_ = owner; }
  void* owner() const { return owner_; }

  enum class Peer : uint8_t { kThere, kLeft, kLost, kSilent };
  // What the control channel tells of the other end: it closed its comm, or its process or host is gone. Requests
  // that do not end by themselves soon after that end with an error. kSilent: the channel has only timed out, which
  // ends nothing while a path carries data. Any thread.
  // The first word counts: who has left in order is not lost afterwards.
  void peerIs(Peer peer) {
    Peer there = Peer::kThere;
    peer_.compare_exchange_strong(there, peer, std::memory_order_acq_rel);
  }

 protected:
  static constexpr int kPollBatch = 16;
  // The watchdog looks so often in its time, so that it never speaks later than it should.
  static constexpr int64_t kWatchGrain = 16;

  Comm(const CommOptions& options, PathSet::Side side, QueueDepth depth) : set_(options, side, depth) {}
  ~Comm() = default;

  // Ends the comm; the first error stays. Returns the outcome that it stays with.
  Outcome fail(Outcome outcome, Ending ending, std::string why);
  // Ends it on both sides: the peer is told.
  Outcome abort(Outcome outcome, Ending ending, const std::string& why);
  // One sentence each: rail, peer and cause.
  Failure why(const ibv_wc& wc, unsigned path) const;
  std::string why(const char* what, int error, unsigned path) const;
  // "mlx5_0:1 to mlx5_2:1 (GID)"
  std::string nameOf(unsigned path) const;

  // A request under way needs memory that the user takes back.
  [[gnu::cold]] void loseMemory(const char* call, uint64_t slot);
  // For the report, what both kinds know: comm_evidence.cc.
  Evidence commonEvidence() const;
  // Repair, comm_repair.cc. What both sides do alike.
  // Takes a path out of use. Without failover it ends the comm, and the answer is false.
  [[gnu::cold]] bool breakPath(unsigned path, const Failure& failure);
  [[gnu::cold]] void breakRail(unsigned rail, const Failure& failure);
  void explain(unsigned path, const Failure& failure);
  [[gnu::cold]] void failPoll(unsigned queue);
  // Stops queue pairs of broken paths and posts their markers.
  void stopBroken(bool receives);
  void postMarkers(unsigned path, bool receives);
  // Breaks what the rails' events and the watchdog say.
  void watch(int64_t now);
  bool allDrained(uint32_t paths, bool receives) const;
  // With no path for too long the comm ends, and so it does with a repair that comes to no end.
  void watchNoPath(int64_t now);
  void watchRepairs(int64_t now);
  bool isSilent() const { return peer_.load(std::memory_order_relaxed) == Peer::kSilent; }
  // Nothing else would tell a peer that is gone from one that has nothing to say.
  void probeLive();
  bool lost(unsigned rail) const {
    const RailHealth* health = localRails()[rail].health;
    return health && health->lost.load(std::memory_order_acquire);
  }
  // A first WRITE of no bytes, to see whether the other end answers.
  bool probe(unsigned path) {
    note(EventKind::kProbe, path, queuePair(path));
    return writeNothing(path, Work::kProbe);
  }
  // A signaled WRITE of no bytes, known by its kind when it completes. False when it cannot be posted.
  bool writeNothing(unsigned path, Work kind);
  void say(std::vector<uint8_t> frame) { outbox_.push_back(std::move(frame)); }
  // The name of a path as it is now, and whether a message means it.
  PathName named(unsigned path) const { return {static_cast<uint8_t>(path), set_.lines()[path]->incarnation}; }
  bool means(const PathName& name) const {
    return name.path < set_.lines().size() && name.incarnation == set_.lines()[name.path]->incarnation;
  }
  void beginCare();
  uint32_t plannedPaths() const { return (1u << planned_) - 1; }
  // Of a path that is about to live.
  void hush(unsigned path) {
    const bool lent = path >= planned_ && (live_ & plannedPaths()) != 0;
    quiet_ = (quiet_ & ~(1u << path)) | (lent ? 1u << path : 0u);
  }
  // A new incarnation; a sibling's rail is polled from its first one on, and memory is wanted there.
  Status renew(unsigned path, uint16_t incarnation, int64_t until);
  // What wantsMemory() asked for is there: data may take the rail.
  bool hasMemory(unsigned rail) const { return rail < ownRails() || (memoryThere_ >> rail & 1); }
  bool takeMemory(unsigned rail, const Status& status);
  // What both sides show alike: comm_show.cc.
  void showComm(CommKind kind, CommView* view) const;
  void showPath(unsigned path, PathRecord* record) const;
  // For the news: what happened to a path, and how many are left.
  void report(unsigned path, bool good, const std::string& what);
  // For the flight recorder.
  [[gnu::cold]] void note(EventKind kind, unsigned path, uint64_t value = 0) {
    const unsigned known = path < set_.lines().size() ? path : kNoPathOfEvent;
    recorder_.note(kind, known, value, set_.options().clock->nowNs());
  }
  uint32_t queuePair(unsigned path) const { return set_.lines()[path]->path.number(); }
  void onAbort(const Abort& m) {
    fail(Outcome::kRemoteError, Ending::kPeerEnded, "the peer ended the connection: " + m.why);
  }
  void misplaced(const Frame& frame);
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
  void takeQueue(unsigned rail);
  // False once its completion queue could not be polled: nothing that was posted there is ever heard of.
  bool isPolled(unsigned rail) const {
    return std::find(queueRail_.begin(), queueRail_.begin() + queueCount_, rail) != queueRail_.begin() + queueCount_;
  }
  // Gives each completion of every rail to `self.complete(wc)`, in batches.
  template <typename Self>
  void pollRails(Self& self);

  Gate gate_;
  PathSet set_;
  std::array<ibv_cq*, kMaxRails> queues_{};
  std::array<uint8_t, kMaxRails> queueRail_{};
  unsigned queueCount_ = 0;
  uint32_t live_ = 0;                            // paths in use, one bit each
  unsigned planned_ = 0;                         // paths of the handshake; what comes after them is a detour
  uint32_t memoryWanted_ = 0, memoryThere_ = 0;  // siblings' rails, one bit each
  uint32_t quiet_ = 0;  // paths that are lent while others work: whether they come or go is no news
  std::array<PathCare, kMaxCommPaths> care_{};
  std::array<RailSeen, kMaxRails> seen_{};
  std::vector<std::vector<uint8_t>> outbox_;
  std::vector<News> news_;
  Recorder recorder_;
  Outcome outcome_ = Outcome::kOk;
  Ending ending_ = Ending::kNone;
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
  void (*wake_)(void*) = nullptr;
  void* waked_ = nullptr;
  int64_t noPathSince_ = 0;
  std::atomic<Peer> peer_{Peer::kThere};
  int64_t goneSince_ = 0;
};

template <typename Self>
void Comm::pollRails(Self& self) {
  for (unsigned i = 0; i < queueCount_; i++) {
    int n;
    do {
      n = pollCq(queues_[i], kPollBatch, wc_);
      if (n == 0) break;  // the most frequent answer by far where rails are many
      if (n < 0) [[unlikely]] {
        failPoll(i--);
        break;
      }
      for (int j = 0; j < n; j++) self.complete(wc_[j]);
    } while (n == kPollBatch);
  }
}

}  // namespace polyrail::net
