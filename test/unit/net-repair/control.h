// SPDX-License-Identifier: Apache-2.0
// What stands for the control threads and channels of both ends in virtual time: it turns serve() when it is due,
// carries messages with a delay, and hands the NICs' events to the rails' health.
#pragma once

#include <deque>
#include <memory>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {

// Comms of a rig with failover on, whose rails have a health of their own.
CommOptions repairOptions(Rig& rig, bool sender);
// The same of a comm on one NIC that has the others as siblings.
CommOptions repairOptionsOn(Rig& rig, bool sender, unsigned nic);

class Control {
 public:
  Control(Rig& rig, CommPair& pair) : rig_(rig), pair_(pair) {}

  // One turn of both ends; whether any got on.
  bool turn();
  // The next turn serves both ends, as events of their rails make it that somebody else took.
  void wake() { woken_ = true; }
  // From now on messages of the channel are lost.
  void cutChannel() { cut_ = true; }
  int64_t latencyNs = 20'000;
  // Registers the user's memory on a sibling's rail; null: it is there already.
  std::function<Status(bool sender, unsigned rail)> extend;
  uint64_t messages(MessageType type) const { return count_[static_cast<size_t>(type)]; }

 private:
  struct Letter {
    int64_t time;
    bool toSender;
    std::vector<uint8_t> frame;
  };
  void wakeAt(int64_t time);
  template <typename End>
  bool turnEnd(End& end, bool sender, int64_t* due);
  template <typename End>
  void deliver(End& end, const Letter& letter);

  Rig& rig_;
  CommPair& pair_;
  std::deque<Letter> letters_;
  int64_t dueSend_ = 0, dueRecv_ = 0;
  bool cut_ = false, woken_ = false;
  std::array<uint64_t, 16> count_{};
};

}  // namespace polyrail::net
