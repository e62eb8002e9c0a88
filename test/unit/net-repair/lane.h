// SPDX-License-Identifier: Apache-2.0
// A comm on one NIC of each end of a rig, as the usual node has them (one NIC a GPU, fused by nobody), with a stream
// of messages and what stands for its control threads. The user's memory is registered on the comm's own NIC, and on
// a sibling only once the comm asks for that.
#pragma once

#include <algorithm>

#include "test/unit/net-repair/control.h"

namespace polyrail::net {

struct LaneOptions {
  unsigned nic = 0;
  size_t size = 1 << 20;
  RepairTimes times{};
  bool senderStandby = true, receiverStandby = true;
  bool check = true;
  bool borrow = true;
};

class Lane {
 public:
  Lane(Rig& rig, const LaneOptions& options)
      : pair(rig, commOptions(rig, true, options), commOptions(rig, false, options)),
        stream(rig, pair, options.size, 8, options.check),
        control(rig, pair) {
    for (const bool sender : {true, false}) {
      MemoryKeys& keys = stream.keys(sender);
      const auto turn = [&](auto& list) {
        std::rotate(list.begin(), list.begin() + options.nic,
                    list.begin() + static_cast<long>(rig.rails(sender).size()));
      };
      turn(keys.lkey);
      turn(keys.rkey);
      keys.rails = 1;
    }
    control.extend = [this](bool sender, unsigned rail) {
      extensions++;
      if (!refusal.ok()) return refusal;
      stream.keys(sender).rails |= static_cast<uint16_t>(1u << rail);
      return Status();
    };
  }
  bool turn() {
    const bool moved = stream.turn();
    return control.turn() || moved;
  }

  CommPair pair;
  Traffic stream;
  Control control;
  unsigned extensions = 0;
  Status refusal;  // of every registration on a sibling

 private:
  static CommOptions commOptions(Rig& rig, bool sender, const LaneOptions& options) {
    CommOptions o = repairOptionsOn(rig, sender, options.nic);
    o.times = options.times;
    o.borrow = options.borrow;
    if (sender ? options.senderStandby : options.receiverStandby) return o;
    o.rails.resize(1);
    o.standbys = 0;
    return o;
  }
};

}  // namespace polyrail::net
