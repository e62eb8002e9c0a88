// SPDX-License-Identifier: Apache-2.0
// The usual node: NICs that nobody fused, one comm on each, all loaded at once, in virtual time. Comm n has NIC n.
#pragma once

#include <memory>
#include <vector>

#include "test/unit/net-repair/lane.h"

namespace polyrail::net {

class Fleet {
 public:
  Fleet(size_t nics, double gbps, const std::string& faults, LaneOptions options)
      : rig(rigOptions(nics, gbps, faults)) {
    for (options.nic = 0; options.nic < nics; options.nic++) lanes.push_back(std::make_unique<Lane>(rig, options));
  }
  bool ok() const {
    return std::all_of(lanes.begin(), lanes.end(),
                       [](const auto& l) { return l->pair.status.ok() && l->stream.ok(); });
  }
  void runUntil(int64_t time) {
    const auto turn = [&] {
      bool moved = false;
      for (const auto& lane : lanes) moved = lane->turn() || moved;
      return moved;
    };
    rig.sim().until([&] { return rig.sim().now() >= time || !ok(); }, turn, 100'000'000'000);
  }
  // What each reaches until then.
  std::vector<double> gbpsUntil(int64_t time) {
    const int64_t from = rig.sim().now();
    std::vector<double> bytes;
    for (const auto& lane : lanes) bytes.push_back(static_cast<double>(lane->stream.bytes()));
    runUntil(time);
    for (size_t i = 0; i < lanes.size(); i++)
      bytes[i] = (static_cast<double>(lanes[i]->stream.bytes()) - bytes[i]) * 8 /
                 static_cast<double>(rig.sim().now() - from);
    return bytes;
  }
  // Paths over siblings that were made until now.
  uint64_t made() const {
    uint64_t all = 0;
    for (const auto& lane : lanes) all += lane->control.messages(MessageType::kMake);
    return all;
  }
  uint64_t fenced() const {
    uint64_t all = 0;
    for (const auto& lane : lanes) all += lane->control.messages(MessageType::kFence);
    return all;
  }

  Rig rig;
  std::vector<std::unique_ptr<Lane>> lanes;

 private:
  static RigOptions rigOptions(size_t nics, double gbps, const std::string& faults) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = std::vector<double>(nics, gbps);
    o.faults = faultList(faults);
    return o;
  }
};

}  // namespace polyrail::net
