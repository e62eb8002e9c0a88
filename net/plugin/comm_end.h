// SPDX-License-Identifier: Apache-2.0
// What NCCL holds as sendComm and recvComm: a comm of the data path, its control channel, and what registers memory
// for it. NCCL closes it, perhaps in mid-traffic with the peer dead; that never waits. The reactor tells it of the
// peer's end; everything else comes from NCCL's two threads as net_abi.h says.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "net/connect/channel.h"
#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"
#include "net/memory/comm_memory.h"
#include "net/plugin/library.h"
#include "net/plugin/profile.h"

namespace polyrail::net {

class CommEnd final : public Watcher {
 public:
  struct Parts {
    std::unique_ptr<SendComm> send;  // one of these two
    std::unique_ptr<RecvComm> recv;
    Channel channel;
    std::vector<MemoryRail> rails;  // as many as the comm's, and in their order
    std::string peer;
    Log log{};
    nccl::ProfilerCallback profile = nullptr;
    int device = 0;
    Board::Peer shownPeer{};
  };

  // Watches the channel from now on. `library` outlives it.
  static Result<std::unique_ptr<CommEnd>> create(Library& library, Parts parts);
  // Says goodbye when the peer can still hear it.
  ~CommEnd() override;
  CommEnd(const CommEnd&) = delete;
  CommEnd& operator=(const CommEnd&) = delete;

  // Null when it is the other kind.
  SendComm* send() const { return parts_.send.get(); }
  RecvComm* recv() const { return parts_.recv.get(); }
  Comm& comm() const { return parts_.send ? static_cast<Comm&>(*parts_.send) : *parts_.recv; }
  const Log& log() const { return parts_.log; }
  Profile& profile() { return profile_; }
  // Where irecv and iflush put the keys of their buffers for the comm: no place on the stack that must be guarded.
  std::array<const MemoryKeys*, kGroup>& keys() { return keys_; }
  bool uses(const OpenDevice& device) const;
  // A report on the comm's end, once.
  void sayError();

  Result<std::unique_ptr<RailMemory>> registerMemory(const MemoryRange& range) const { return memory_->add(range); }
  // Before memory goes: no request may use it any more. From the thread that deregisters.
  void withdraw(const MemoryKeys& keys) { parts_.send ? parts_.send->withdraw(keys) : parts_.recv->withdraw(keys); }

  void ready() override;
  int64_t serve(int64_t now) override;

 private:
  CommEnd(Library& library, Parts parts);
  void hear(const Message& message);
  void loseChannel(const std::string& why);
  void extendMemory();
  int64_t repair(int64_t now);
  // Shows the comm when it is time; when it wants to be shown again.
  int64_t show(int64_t now);
  void beginShow(int64_t now);
  void endShow();
  Board* board() const;

  Library& library_;
  Parts parts_;
  const std::shared_ptr<CommMemory> memory_;
  Profile profile_;
  std::array<const MemoryKeys*, kGroup> keys_{};
  bool said_ = false;
  Board::Place place_;
  CommView view_;
  int64_t shown_ = 0;
};

}  // namespace polyrail::net
