// SPDX-License-Identifier: Apache-2.0
// Two hosts "a" (sends) and "b" (receives) of an emulated fabric in virtual time, comms between them without the
// handshake, and a driver that keeps messages in flight as NCCL does. Tests of the data path and its bars start here.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "net/data/recv_comm.h"
#include "net/data/send_comm.h"
#include "test/emu/core/guarded_buffer.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {

struct RigOptions {
  std::vector<double> senderGbps{50}, receiverGbps{50};  // one a rail
  uint32_t senderEce = 0, receiverEce = 0;               // options; 0: NICs without ECE
  int64_t latencyNs = 1'000;
  int64_t segment = 64 << 10;
  uint8_t mtu = IBV_MTU_4096;
  const char* profile = "spec";  // of the emulator
  emu::FaultScript faults{};
  bool announceEqual = true;  // every rail says it is as fast as the fastest
};

// A fault script from its JSON list.
emu::FaultScript faultList(const std::string& list);

class Rig {
 public:
  explicit Rig(const RigOptions& options);
  ~Rig();
  Rig(const Rig&) = delete;

  emu::Simulation& sim() { return *sim_; }
  const std::vector<LocalRail>& rails(bool sender) const { return rails_[sender ? 0 : 1]; }
  void on(bool sender) { sim_->setHost(sender ? "a" : "b"); }
  CommOptions options(bool sender);
  // Of a comm on one NIC that has the others as siblings, in turn from the next one on.
  CommOptions optionsOn(bool sender, unsigned nic);
  // Registers on every rail of a side; the region lives as long as the rig unless dropped.
  MemoryKeys keys(bool sender, void* data, size_t size, bool device = false);
  void dropRegions();
  // Events of the side's NICs, into the health of its rails. Whether there were any.
  bool takeEvents(bool sender);
  // The rail as its port is now; an error while that is down.
  Result<LocalRail> refreshed(bool sender, unsigned rail);
  uint64_t seed = 1;

 private:
  void open(bool sender, uint8_t mtu);
  Verbs verbs_;
  std::unique_ptr<emu::Simulation> sim_;
  std::vector<LocalRail> rails_[2];
  std::deque<RailHealth> health_[2];
  std::deque<RailUse> uses_[2];
  std::vector<ibv_mr*> regions_;
};

// How many control verbs the side's host has called so far.
int64_t controlCalls(Rig& rig, bool sender);

std::vector<PathPlan> pairRails(size_t senders, size_t receivers);

// A connected pair of comms. Statuses of set-up are kept, so that tests of failing verbs can look at them.
struct CommPair {
  CommPair(Rig& rig, const CommOptions& sender, const CommOptions& receiver, unsigned firstPath = 0);
  explicit CommPair(Rig& rig, unsigned firstPath = 0)
      : CommPair(rig, rig.options(true), rig.options(false), firstPath) {}

  void close() { send.reset(), recv.reset(); }

  Status status;
  int mostCallsAtOnce = 0;  // control verbs in one call
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;

 private:
  Status connect(Rig& rig, unsigned firstPath);
};

// A stream of messages of one size: `slots` receives in flight, as many sends, oldest tested first.
class Traffic {
 public:
  Traffic(Rig& rig, CommPair& pair, size_t size, unsigned slots, bool check);
  ~Traffic() { pair_.close(); }  // before the buffers that are still being read
  // One turn of both ends; whether any got on.
  bool turn();
  uint64_t received() const { return received_; }
  uint64_t bytes() const { return received_ * size_; }
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void stopAfter(uint64_t messages) { last_ = messages; }
  MemoryKeys& keys(bool sender) { return sender ? outKeys_ : inKeys_; }

 private:
  struct Flight {
    Request* request = nullptr;
    bool posted = false;
  };
  bool sendTurn();
  bool receiveTurn();
  bool finished(Flight& flight, bool receiver, uint64_t number);
  static constexpr size_t kShift = 8191;
  const char* expected(uint64_t number) const;
  void fill(uint64_t number);
  bool verify(uint64_t number);
  char* slotOf(std::vector<char>& buffer, uint64_t number) { return buffer.data() + number % slots_ * size_; }

  Rig& rig_;
  CommPair& pair_;
  const size_t size_;
  const unsigned slots_;
  const bool check_;
  std::vector<char> out_, in_;
  MemoryKeys outKeys_, inKeys_;
  std::vector<Flight> sends_, receives_;
  std::vector<char> pattern_;
  uint64_t sent_ = 0, sendDone_ = 0, granted_ = 0, received_ = 0, last_ = UINT64_MAX;
  std::string error_;
};

}  // namespace polyrail::net
