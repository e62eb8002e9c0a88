// SPDX-License-Identifier: Apache-2.0
// Setting up a connection, in virtual time: how many control verbs one call of connect or accept makes, and what a
// silent peer leads to.
#include <fmt/format.h>

#include "test/unit/net-connect/ends.h"

namespace polyrail::net {
namespace {

constexpr size_t kShapes[] = {1, 2, 3, 8};

void verbsACall() {
  int64_t most = 0;
  std::string failed;
  for (const size_t n : kShapes)
    for (const size_t m : kShapes) {
      RigOptions rails;
      rails.senderGbps.assign(n, 50);
      rails.receiverGbps.assign(m, 50);
      Ends ends(rails);
      ends.start(ends.options(), ends.options());
      ends.run();
      if (!ends.connected) failed = fmt::format("{} x {}: {}{}", n, m, ends.sendError, ends.receiveError);
      most = std::max(most, ends.mostVerbs);
    }
  fmt::print("BAR net-setup-verbs-a-call {} <={} {} {}\n", most, kVerbsPerCall,
             most <= kVerbsPerCall && failed.empty() ? "holds" : "falls-short", failed);
}

void silentPeer() {
  Ends ends;
  ends.start(ends.options(), ends.options());
  const int64_t deadline = ends.options().timeoutNs, step = 10'000'000;
  while (ends.sendError.empty() && ends.rig.sim().now() < 10 * deadline) {
    ends.sendTurn();
    ends.rig.sim().run(step);
  }
  const int64_t took = ends.rig.sim().now();
  const bool named = ends.sendError.find("10.0.0.2:1") != std::string::npos;
  fmt::print("BAR net-setup-silent-peer {:.2f}s <={:.2f}s {} {}\n", static_cast<double>(took) * 1e-9,
             static_cast<double>(deadline + 2 * step) * 1e-9,
             named && took <= deadline + 2 * step ? "holds" : "falls-short",
             named ? "it is named" : "it is not named");
}

}  // namespace
}  // namespace polyrail::net

int main() {
  polyrail::net::verbsACall();
  polyrail::net::silentPeer();
}
