// SPDX-License-Identifier: Apache-2.0
// What the rails have carried since the last turn.
#include <mutex>
#include <utility>

#include "net/telemetry/board.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

uint64_t perSecond(uint64_t bytes, int64_t ns) {
  return static_cast<uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(ns));
}

}  // namespace

// A path that sent nothing meanwhile says nothing of its rail.
void Board::addLoad(Place* place, std::vector<RailLoad>* loads) {
  for (size_t p = 0; p < place->summed.size(); p++) {
    const PathRecord& path = place->view.paths[p];
    const uint64_t bytes = path.bytes - std::exchange(place->atLastTurn[p], path.bytes);
    const uint32_t rail = path.rail < place->rails.size() ? place->rails[path.rail] : kNoRail;
    if (rail == kNoRail || bytes == 0 || path.rate == 0 || place->view.comm.kind != CommKind::kSend) continue;
    RailLoad& load = (*loads)[rail];
    load.bytes += bytes;
    load.rate += static_cast<double>(path.rate);
    load.latency += static_cast<double>(path.latencyNs) * static_cast<double>(bytes);
    const std::string peer = place->peer.host + " " + textIn(path.peerRail);
    load.severalPeers |= !load.peer.empty() && load.peer != peer;
    load.peer = peer;
  }
}

std::vector<RailLoad> Board::loads() {
  std::vector<RailLoad> loads(rails_.size());
  for (Place* place : places_) addLoad(place, &loads);
  for (size_t r = 0; r < loads.size(); r++) {
    loads[r].name = textIn(rails_[r].name);
    loads[r].speedMbps = rails_[r].speedMbps;
    if (loads[r].bytes > 0) loads[r].latency /= static_cast<double>(loads[r].bytes);
    rails_[r].serviceRate = static_cast<uint64_t>(loads[r].rate);
  }
  return loads;
}

std::vector<RailLoad> Board::turn(int64_t now) {
  const std::lock_guard lock(mutex_);
  if (!isDue(now)) return {};
  const int64_t took = now - turned_;
  turned_ = now;
  for (size_t r = 0; r < rails_.size(); r++) {
    RailRecord& rail = rails_[r];
    rail.sentPerSecond = perSecond(rail.bytesSent - std::exchange(seen_[r].sent, rail.bytesSent), took);
    rail.receivedPerSecond =
        perSecond(rail.bytesReceived - std::exchange(seen_[r].received, rail.bytesReceived), took);
  }
  std::vector<RailLoad> loads = this->loads();
  storeRails(now);
  return loads;
}

}  // namespace polyrail::net
