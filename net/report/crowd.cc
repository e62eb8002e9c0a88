// SPDX-License-Identifier: Apache-2.0
#include "net/report/crowd.h"

#include <algorithm>
#include <mutex>

namespace polyrail::net {
namespace {

constexpr size_t kMostPeers = 8;

}  // namespace

bool Crowd::first(const std::string& kind, const std::string& peer, int64_t now) {
  const std::lock_guard lock(mutex_);
  Kind& k = kinds_[kind];
  k.last = now;
  if (k.count++ > 0 && k.peers.size() <= kMostPeers &&
      std::find(k.peers.begin(), k.peers.end(), peer) == k.peers.end())
    k.peers.push_back(peer);
  return k.count == 1;
}

std::vector<std::string> Crowd::ceased(int64_t now, bool all) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (auto at = kinds_.begin(); at != kinds_.end();) {
    const Kind& k = at->second;
    if (!all && now - k.last < kQuietNs) {
      ++at;
      continue;
    }
    if (k.count > 1) {
      std::string line = at->first + ": the same " + std::to_string(k.count - 1) + " more times; peers: ";
      for (size_t i = 0; i < k.peers.size(); i++) line += i == kMostPeers ? ", ..." : (i ? ", " : "") + k.peers[i];
      lines.push_back(std::move(line));
    }
    at = kinds_.erase(at);
  }
  return lines;
}

bool Crowd::pending() const {
  const std::lock_guard lock(mutex_);
  return !kinds_.empty();
}

}  // namespace polyrail::net
