// SPDX-License-Identifier: Apache-2.0
// Plays a fault script on a World: times become events, calls and bytes are counted, packets are looked at. Owned by
// the World and used under its lock.
#pragma once

#include <array>
#include <vector>

#include "test/emu/core/fault.h"
#include "test/emu/core/packet.h"

namespace polyrail::emu {

class Device;
class Port;
class World;

struct CallVerdict {
  int error = 0;   // errno to return instead of doing it
  Time delay = 0;  // to take longer
};

class FaultEngine {
 public:
  FaultEngine(World* world, FaultScript script);
  // Checks that every target exists and sets the times, which count from now; an error names the fault.
  Status start();
  // Adds a fault while the World runs; its time counts from now.
  Status add(Fault fault);

  CallVerdict onCall(Call call, int host);
  void onBytes(Port* port);
  bool watchesBytes() const { return byteFaults_ > 0; }
  // Whether a packet that leaves is held back by a rule; it is then the engine's to deliver.
  bool holds(Port* from, Packet* packet);
  // The rule for a packet that comes in, or null. One use is counted off.
  const Fault* onPlacement(Port* port, const Packet& packet);
  const std::vector<std::string>& played() const { return played_; }
  int64_t calls(Call call, int host) const;

 private:
  struct Entry {
    Fault fault;
    bool done = false;
    int64_t used = 0;
  };
  Status check(const Fault& fault, size_t index) const;
  void schedule(size_t index);
  void play(const Fault& fault);
  void playOnPort(const Fault& fault, Port* port);
  void undo(const Fault& fault);
  void setLink(Port* port, bool up, bool event);
  void setCarrier(Port* port, bool up, bool event);
  void changeGid(const Fault& fault, Port* port);
  void removeDevice(Device* device);
  std::vector<Port*> targets(const Fault& fault) const;
  static void onTime(void* engine, uint64_t index);
  static void onEnd(void* engine, uint64_t index);

  World* world_;
  std::vector<Entry> entries_;
  std::vector<Fault> undos_;
  std::vector<std::array<int64_t, kCallNames.size()>> counts_;  // per host
  int64_t byteFaults_ = 0, callFaults_ = 0;
  std::vector<std::string> played_;
};

}  // namespace polyrail::emu
