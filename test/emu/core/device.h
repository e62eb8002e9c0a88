// SPDX-License-Identifier: Apache-2.0
// A NIC of the fabric and its ports, with everything made on it. The World makes one for every NIC described; in real
// time those of other hosts are only there to know their state. All members are used under the World's lock.
#pragma once

#include <infiniband/verbs.h>

#include <deque>
#include <unordered_map>
#include <vector>

#include "test/emu/core/fabric.h"
#include "test/emu/core/fault.h"
#include "test/emu/core/objects.h"
#include "test/emu/core/packet.h"

namespace polyrail::emu {

class Device;
class World;
struct Qp;

struct GidEntry {
  GidSpec spec;
  bool valid = true;
};

// A packet fault that is in force at a port.
struct PacketRule {
  Fault fault;
  int64_t left;         // packets still to come, INT64_MAX: all
  uint64_t cutUid = 0;  // late: whose other packets are lost ...
  Time cutUntil = 0;    // ... until this time
};

class Port {
 public:
  Port(Device* device, const PortSpec* spec, uint32_t id, uint8_t number);

  Device* const device;
  const PortSpec* const spec;
  const uint32_t id;      // World's number
  const uint8_t number;   // 1..
  Port* cable = nullptr;  // the other end, if cabled back to back

  bool admin = true, carrier = true;
  bool holeIn = false, holeOut = false;
  double factor = 1, loss = 0;  // of the rate; of packets
  Time brokenSince = -1;        // when the port or its way last stopped working
  std::vector<GidEntry> gids;
  std::vector<PacketRule> rules;
  int64_t endings = 0;  // completions that a fault gives `ending`
  ibv_wc_status ending = IBV_WC_GENERAL_ERR;
  bool flushNever = false;
  Time flushDelay = 0;

  uint64_t sentBytes = 0, receivedBytes = 0;  // payload
  uint64_t sentPackets = 0, lostPackets = 0;
  uint64_t linkDowns = 0, ackTimeouts = 0;  // as the kernel counts them
  uint64_t reads = 0;                       // RDMA READs posted

  bool active() const { return admin && carrier; }
  const GidEntry* gid(int index) const;
  int gidIndex(const ibv_gid& gid) const;  // -1: not (any more) one of this port's

  void kick(Qp* qp, Time at);  // the queue pair may have something to send
  void forget(const Qp* qp);
  void send();  // one packet of the next queue pair in turn
  // When a packet that begins to come in now is in, at this port's rate; in order, so that delivered() must follow.
  Time reserveArrival(Time at, uint64_t wireBytes);
  bool arrivalsWait() const { return coming_ > 0; }
  void delivered() { coming_--; }

 private:
  Time wireTime(uint64_t bytes, double* remainder) const;
  std::deque<Qp*> ready_;
  bool scheduled_ = false;
  int64_t coming_ = 0;
  Time free_ = 0, arrivalsFree_ = 0;
  double remainder_ = 0, arrivalsRemainder_ = 0;
};

class Device {
 public:
  Device(World* world, int host, const NicSpec* spec, uint32_t number);

  ibv_device face{};
  World* const world;
  const int host;
  const NicSpec* const spec;
  const uint32_t number;  // World's number
  bool removed = false;
  std::vector<Port*> ports;
  std::vector<Context*> contexts;
  std::unordered_map<uint32_t, Qp*> qps;
  std::unordered_map<uint32_t, Mr*> mrs;
  int64_t pds = 0, cqs = 0, srqs = 0, ahs = 0, lockedBytes = 0;
  uint32_t handles = 0;

  uint32_t takeKey();
  int takeQpn(uint32_t* qpn);
  // Ports are counted from 1; null when there is none.
  Port* port(unsigned which) const { return which >= 1 && which <= ports.size() ? ports[which - 1] : nullptr; }
  void raisePortEvent(const Port& port, ibv_event_type type);

 private:
  uint32_t keys_ = 0, qpns_ = 0;
};

}  // namespace polyrail::emu
