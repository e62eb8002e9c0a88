// SPDX-License-Identifier: Apache-2.0
// The sending end of a comm. Set-up, in order: plan, prepare until true, describe, join until true, open. Then isend
// and test, from one thread at a time. The destructor may come at any moment, with work under way; it never waits.
// The caller keeps buffers and keys until the request is done.
#pragma once

#include <memory>

#include "net/data/comm.h"
#include "net/data/work_id.h"
#include "net/schedule/scheduler.h"

namespace polyrail::net {

class SendComm : public Comm {
 public:
  explicit SendComm(const CommOptions& options);

  // The paths as the receiver listed them in WELCOME.
  Status plan(std::span<const PathPlan> plan);
  Result<bool> prepare() { return set_.prepare(); }  // true: done; at most kVerbsPerCall control verbs a call
  std::vector<PathEnd> describe() const { return set_.describe(); }  // for PATHS
  // With what WELCOME says of the receiver; the same arguments each time.
  Result<bool> join(std::span<const RailInfo> rails, std::span<const PathEnd> paths);
  void open() { open_ = true; }  // READY has come

  // `*request` stays null when nothing was granted for this tag yet: call again with the same arguments. A message
  // longer than the receive that it meets ends the comm on both sides.
  Outcome isend(const void* data, size_t size, int tag, const MemoryKeys& keys, Request** request);
  Outcome test(Request& request, int* done, int* sizes);

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
    uint8_t request;
    Entry* nextPending;
    std::array<uint8_t, kMaxChunks> bound;  // path of each chunk: what a repair needs to know
  };
  struct Slot {
    uint64_t number;
    uint8_t unused;  // granted and met by no send, one bit a request
    uint8_t inUse;   // met by a send that is not reported done
  };
  struct PathState {
    uint16_t posted = 0, sent = 0;  // immediates: allowed and sent, modulo 2^16
    uint16_t queueFree = 0;
    uint64_t bytes = 0;
  };

  // Grants and matching: send_grants.cc
  void takeGrants();
  bool takeGrant(uint64_t number);
  void takeCredit(const uint16_t* posted);
  Entry* match(int tag);
  // Binding and posting: send_pump.cc
  void begin(Entry& entry, const void* data, size_t size, const MemoryKeys& keys);
  void pump();
  bool bindNext(Entry& entry);
  int choose(const Entry& entry, uint64_t length);
  uint64_t lengthOf(const Entry& entry, unsigned chunk) const;
  bool post(Entry& entry, unsigned chunk, unsigned path, uint64_t length);
  bool submit(unsigned path, ibv_send_wr* first, unsigned count);
  void writeSizeRecord(Entry& entry, unsigned path, ibv_send_wr* wr, ibv_sge* sge);
  void refuse(Entry& entry, uint64_t size);
  void refreshEligible(unsigned path);
  // Progress: send_comm.cc
  void progress();
  void complete(const ibv_wc& wc);
  bool measures(uint64_t bytes) const { return scheduler_.paths() > 1 && bytes >= kMeasured; }

  // Smaller chunks are not worth a look at the clock.
  static constexpr uint64_t kMeasured = 16 << 10;

  Scheduler scheduler_;
  std::array<PathState, kMaxCommPaths> paths_{};
  std::unique_ptr<Entry[]> entries_;  // kSlots x kGroup
  std::array<Slot, kSlots> slots_{};
  uint64_t oldestOpen_ = 1, newest_ = 0;  // slots with unused requests lie in [oldestOpen_, newest_]
  unsigned grantPath_ = 0;
  uint32_t eligible_ = 0;                                  // paths with credit and room in the send queue
  Entry *pendingHead_ = nullptr, *pendingTail_ = nullptr;  // sends with chunks bound to no path, oldest first
  uint64_t backlog_ = 0;                                   // bytes of those chunks
  int64_t now_ = 0;                                        // as last read
  bool open_ = false;
};

}  // namespace polyrail::net
