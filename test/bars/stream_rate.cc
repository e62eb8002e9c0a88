// SPDX-License-Identifier: Apache-2.0
// Prints what a stream reaches in virtual time, in Gb/s: four rails of 50 Gb/s, 2 us one way, 8 messages of 1 MiB in
// flight, with both control threads turning. bar-net-cost runs it as it ships and as the bare build, in which a comm
// has no repair and nobody turns it.
#include <cstdio>

#include "test/unit/net-repair/control.h"

int main() {
  using namespace polyrail::net;
  constexpr int64_t kFrom = 5'000'000, kUntil = 405'000'000;
  RigOptions options;
  options.senderGbps = options.receiverGbps = {50, 50, 50, 50};
  options.latencyNs = 2'000;
  Rig rig(options);
  CommPair pair(rig, kBare ? rig.options(true) : repairOptions(rig, true),
                kBare ? rig.options(false) : repairOptions(rig, false));
  Traffic stream(rig, pair, 1 << 20, 8, false);
  Control control(rig, pair);
  const auto turn = [&] {
    const bool moved = stream.turn();
    return (!kBare && control.turn()) || moved;
  };
  const auto runUntil = [&](int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || !stream.ok(); }, turn, time);
  };
  runUntil(kFrom);
  const uint64_t before = stream.bytes();
  runUntil(kUntil);
  if (!stream.ok()) return std::fprintf(stderr, "%s\n", stream.error().c_str()), 1;
  std::printf("%.6f\n", static_cast<double>(stream.bytes() - before) * 8 / static_cast<double>(kUntil - kFrom));
  return 0;
}
