// SPDX-License-Identifier: Apache-2.0
// What a rail has sent in a short while, as its comms saw it: the stuff that slow rails are told by. Plain value.
#pragma once

#include <cstdint>
#include <string>

namespace polyrail::net {

struct RailLoad {
  std::string name;
  uint32_t speedMbps = 0;
  uint64_t bytes = 0;  // posted
  double rate = 0;     // bytes a second while loaded, of all its paths
  double latency = 0;  // ns of a chunk, by bytes
  std::string peer;    // "node2 mlx5_0:1" when all of it went there
  bool severalPeers = false;
};

}  // namespace polyrail::net
