// SPDX-License-Identifier: Apache-2.0
// The receiving end of a comm. Set-up, in order: plan, prepare until true, describe (for WELCOME), join until true,
// then READY may be said and irecv, iflush and test called, from one thread at a time. The first path of the plan
// carries the grants, so that who plans should begin with another path for another comm. From then on control may
// call serve and hear at any time. The destructor may come at any moment, with control gone; it never waits.
#pragma once

#include "net/data/comm.h"
#include "net/data/flush.h"
#include "net/data/work_id.h"

namespace polyrail::net {

class RecvComm : public Comm {
 public:
  explicit RecvComm(const CommOptions& options);

  Status plan(std::span<const PathPlan> plan);
  Result<bool> prepare();  // true: done; at most kVerbsPerCall control verbs a call
  // `grants` of each path is where its size records go; postedReceives are already posted.
  std::vector<PathEnd> describe() const;
  // With what PATHS says of the sender; the same arguments each time.
  Result<bool> join(std::span<const RailInfo> rails, std::span<const PathEnd> paths);

  // 1 <= n <= kGroup buffers with their capacities and tags. `*request` stays null when all slots are in use: call
  // again.
  Outcome irecv(unsigned n, void* const* data, const size_t* capacities, const int* tags,
                const MemoryKeys* const* keys, Request** request);
  // Makes what has arrived visible to the GPU. `*request` stays null when there is nothing to wait for: that is done.
  Outcome iflush(unsigned n, void* const* data, const MemoryKeys* const* keys, Request** request);
  Outcome test(Request& request, int* done, int* sizes);
  Outcome testFlush(Request& request, int* done);
  void withdraw(const MemoryKeys& keys);  // as SendComm's

  // Control's turn and the peer's messages, as SendComm's: recv_repair.cc.
  int64_t serve(int64_t now);
  void hear(const Frame& frame, std::span<const uint8_t> body, int64_t now);
  // See wantsMemory().
  void memoryIs(unsigned rail, const Status& status);

  Evidence evidence() const;  // as SendComm's
  void show(CommView* view);  // as SendComm's

  uint64_t strays() const { return strays_; }  // immediates that were dropped
  uint64_t bytesArrived(unsigned path) const { return paths_[path].bytes; }

 private:
  friend class Comm;

  static constexpr unsigned kReceiveBatch = 16;  // receives are posted again in such chains

  struct alignas(64) Receive {  // one request of a slot; its size makes a shift of an index
    std::array<uint64_t, kMaxChunks / 64> arrived;
    uint64_t capacity, size;
    const MemoryKeys* keys;
    uint16_t count, chunks;  // chunks: 0 until the last flag has told
    bool device;
    // Marks the chunk as arrived; false when it was.
    bool isFirst(unsigned chunk) {
      uint64_t& word = arrived[chunk / 64];
      const uint64_t bit = uint64_t{1} << (chunk % 64);
      if (word & bit) return false;
      word |= bit;
      return true;
    }
  };
  struct Slot : Request {
    uint64_t number = 0;
    uint8_t requests = 0, left = 0;  // left: requests that are not done
    bool busy = false;               // not reported done
    Receive receive[kGroup];
  };
  struct PathState {
    ibv_qp* queuePair = nullptr;
    uint16_t incarnation = 0;
    uint16_t consumed = 0;  // receives to be posted again
    uint16_t queueFree = 0;
    uint8_t localRail = 0;
    uint32_t completions = 0;
    uint64_t bytes = 0;
    uint64_t arrived = 0;  // chunks, but for those of `consumed`
  };
  using Chain = std::array<ibv_recv_wr, kReceiveBatch>;  // receives that are posted again and again

  // recv_grants.cc
  void startGrants();
  Status postReceives(unsigned path, unsigned batches);
  bool writeGrant(const Slot& slot, GrantEntry& e);
  void fillLine(GrantLine* line, const Slot& slot, unsigned r, void* data, int tag, const MemoryKeys& keys);
  void writeCredit();
  bool write(Work kind, const void* from, uint32_t bytes, uint64_t ringOffset);
  Outcome flushing(const Request& request);
  // recv_arrivals.cc
  void progress();
  void complete(const ibv_wc& wc);
  void completeFlush(const ibv_wc& wc);
  void arrive(const ibv_wc& wc, unsigned path);
  void replenish(unsigned path);
  bool learnSize(Slot& slot, unsigned r, const ibv_wc& wc);
  bool readSizeRecord(Slot& slot, unsigned r);

  Outcome irecvInside(unsigned n, void* const* data, const size_t* capacities, const int* tags,
                      const MemoryKeys* const* keys, Request** request);
  Outcome testInside(Slot& slot, int* done, int* sizes);
  [[gnu::cold]] void completeOther(const ibv_wc& wc, WorkId id);
  void startPath(unsigned path);
  PathEnd describe(unsigned path) const;

  // Repair and fail-back: recv_repair.cc
  static constexpr unsigned kNoPath = 31;  // a grant path that is never live
  static_assert(kNoPath >= kMaxCommPaths);
  uint8_t saidGrantPath() const { return grantPath_ == kNoPath ? Fenced::kNoPath : static_cast<uint8_t>(grantPath_); }
  static uint32_t idleQueue();  // places in the send queue when nothing is posted
  uint64_t oldest() const { return next_ > kSlots ? next_ - kSlots : 1; }  // slot that the sender may still ask about
  void tellDown();
  void onFence(const Fence& m);
  bool allFenced() const;
  void answer();
  static Fenced::Slot arrivedOf(const Slot& slot);
  void forgetUnflushed(unsigned path);
  void moveGrants(unsigned path);
  [[gnu::cold]] void regrant();
  void refreshKeys(const Slot& slot);
  Status makeEnd(const NewPath& m, int64_t now);
  void onMake(const NewPath& m, int64_t now);
  void onProve(const Prove& m);
  void goLive(int64_t now);
  int64_t due(int64_t now) const;
  // Which path each chunk of a receive into GPU memory came on.
  uint8_t* via(const Slot& slot, unsigned r) { return via_.get() + (slot.number % kSlots * kGroup + r) * kMaxChunks; }

  struct Control;  // the layout of the control memory
  Control& control() const;

  using Counters = std::array<uint16_t, kMaxCommPaths>;

  std::array<PathState, kMaxCommPaths> paths_{};
  std::array<Chain, kMaxCommPaths> again_{};
  Counters posted_{}, announced_{};  // receives on each path, modulo 2^16, and what the sender was told
  std::unique_ptr<Slot[]> slots_;
  uint64_t next_ = 1;  // slot number of the next irecv
  unsigned grantPath_ = 0;
  ibv_send_wr grantWrite_{};  // the work request of a grant or credit line, filled in anew for each
  ibv_sge grantPiece_{};
  Region ring_;                     // of the grant path, at the sender
  uint32_t epoch_ = 0;              // of the last FENCE
  uint32_t fencing_ = 0;            // its paths, one bit each
  uint64_t regrant_ = UINT64_MAX;   // the next slot to be granted again; none from next_ on
  std::unique_ptr<uint8_t[]> via_;  // kSlots x kGroup x kMaxChunks; null where nothing is flushed
  bool answerDue_ = false, joined_ = false;
  bool creditWanted_ = false, creditUnderWay_ = false;
  uint64_t strays_ = 0;
  Flusher flusher_;
  bool pathsPrepared_ = false;
  unsigned flushRails_ = 0;  // whose flush queue pair is made
};

}  // namespace polyrail::net
