// SPDX-License-Identifier: Apache-2.0
// The whole emulated fabric: devices, events and time. It has no clock and no thread of its own. In virtual time one
// thread owns it and says when time passes; in real time the verbs face turns it under a lock, and packets for queue
// pairs of other processes leave through a Remote. Events run at exactly their time even when they are turned late,
// so that a late wake-up costs no rate.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "test/emu/core/census.h"
#include "test/emu/core/device.h"
#include "test/emu/core/event_queue.h"
#include "test/emu/core/fabric.h"
#include "test/emu/core/fault_engine.h"
#include "test/emu/core/memory.h"
#include "test/emu/core/packet.h"
#include "test/emu/core/rng.h"
#include "test/emu/core/trace.h"

namespace polyrail::emu {

// The way to queue pairs of other processes.
class Remote {
 public:
  virtual ~Remote() = default;
  virtual bool isElsewhere(uint32_t qpn) const = 0;
  virtual void send(Packet* packet) = 0;  // takes the content, not the packet; whether it gets there is not known
  // Asks that process whether it has got so far (silence.cc); World::answered() follows. False: nobody is there.
  virtual bool ask(const PacketHeader& question) = 0;
  // Copies payload of a packet from another process into local memory; false when that process is gone.
  virtual bool fetch(const Packet& packet, const std::vector<Piece>& to) = 0;
};

struct WorldOptions {
  bool blocking = false;               // whether file descriptors block their readers
  Remote* remote = nullptr;            // outlives the World
  uint32_t qpnBase = 0, qpnCount = 0;  // numbers this process may give; count 0: all of 24 bits
  uint32_t qpnFirst = 0;               // where in them to begin
};

class World {
 public:
  World(Fabric fabric, FaultScript faults, WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Time.
  Time now() const { return now_; }
  // The present: in real time events run late, at their own time, and this is the later time at which they really do.
  Time present() const { return options_.blocking ? std::max(horizon_, now_) : now_; }
  Time hostNow(int host) const { return now_ + spent_[static_cast<size_t>(host)]; }
  void charge(int host, Time cpu) { spent_[static_cast<size_t>(host)] += cpu; }
  void at(Time when, void (*run)(void*, uint64_t), void* target, uint64_t argument);
  Time nextEvent() const { return queue_.next(); }
  void settle();             // ends a round: the CPU time that hosts spent side by side passes
  bool advance();            // settles, then jumps to the next event; false when nothing will ever happen
  void runUntil(Time when);  // runs what is due and sets the time

  // What there is.
  const Fabric& fabric() const { return fabric_; }
  const Profile& profile() const { return *fabric_.profile; }
  const WorldOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  const std::vector<std::unique_ptr<Port>>& ports() const { return ports_; }
  Port* port(uint32_t id) const { return id < ports_.size() ? ports_[id].get() : nullptr; }
  int host(const std::string& name) const;        // -1: none
  Device* device(const std::string& path) const;  // "host/nic"; null: none
  Port* port(const std::string& path) const;      // "host/nic" or "host/nic/port"
  Port* findByGid(const ibv_gid& gid) const;
  Port* findByLid(uint16_t lid, int plane) const;
  bool hostDead(int host) const { return dead_[static_cast<size_t>(host)]; }
  void killHost(int host);

  // Packets.
  Packet* newPacket();
  void release(Packet* packet);
  void send(Packet* packet, Port* from, Time leaves);
  void arrive(Packet* packet);                  // from send(), or from another process
  void answered(const PacketHeader& question);  // by the other process, or because it is gone
  void keepPayload(Packet* packet);             // the sender may reuse its memory from now on
  void keepPayloadsOf(uint64_t uid);
  void keepPayloadsIn(uint64_t address, uint64_t length);

  // Queue pairs by the number that is never reused.
  void addQp(Qp* qp);
  void removeQp(Qp* qp);
  Qp* findUid(uint64_t uid) const;

  FaultEngine& faults() { return faults_; }
  Memory& memory() { return memory_; }
  Census census;
  Trace trace;
  Rng rng;

 private:
  bool lost(const Port& from, const Packet& packet);
  void build();
  void deliver(Packet* packet);
  static void onArrival(void* world, uint64_t packet);
  static void onDelivery(void* world, uint64_t packet);

  const Fabric fabric_;
  const WorldOptions options_;
  EventQueue queue_;
  Time now_ = 0, horizon_ = 0;
  std::vector<Time> spent_;
  std::vector<bool> dead_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<Packet>> pool_;
  std::vector<Packet*> idle_;
  std::vector<Time> lastArrival_;  // per pair of ports: a path keeps its order
  std::unordered_map<uint64_t, Qp*> qps_;
  uint64_t uids_ = 0;
  Memory memory_;
  FaultEngine faults_;
};

}  // namespace polyrail::emu
