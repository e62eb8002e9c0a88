// SPDX-License-Identifier: Apache-2.0
// A stream of messages over several rails while faults strike, in virtual time, with control at both ends.
#pragma once

#include <string>

#include "test/unit/net-repair/control.h"

namespace polyrail::net {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr double kGbps = 10;

struct Scene {
  explicit Scene(const std::string& faults, size_t rails = 4, size_t size = 1 << 20, RepairTimes times = {})
      : rig(optionsOf(faults, rails)),
        pair(rig, with(true, times), with(false, times)),
        stream(rig, pair, size, 8, true),
        control(rig, pair) {}

  static RigOptions optionsOf(const std::string& faults, size_t rails) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = std::vector<double>(rails, kGbps);
    o.faults = faultList(faults);
    return o;
  }
  CommOptions with(bool sender, RepairTimes times) {
    CommOptions o = repairOptions(rig, sender);
    o.times = times;
    return o;
  }
  // Runs until the time is reached or an end fails.
  void runUntil(int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || !stream.ok(); },
                    [&] {
                      const bool moved = stream.turn();
                      return control.turn() || moved;
                    },
                    100'000 * kMs);
  }
  double gbpsUntil(int64_t time) {
    const int64_t from = rig.sim().now();
    const uint64_t bytes = stream.bytes();
    runUntil(time);
    return static_cast<double>(stream.bytes() - bytes) * 8 / static_cast<double>(rig.sim().now() - from);
  }

  Rig rig;
  CommPair pair;
  Traffic stream;
  Control control;
};

}  // namespace polyrail::net
