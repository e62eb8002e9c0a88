// SPDX-License-Identifier: Apache-2.0
// Keeps the log readable when one thing hits a thousand comms: the first of them is said in full, those that follow
// within a second of each other are counted, and the count is said once they have ceased. Guards itself; any thread,
// not for the hot path.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/mutex.h"

namespace polyrail::net {

class Crowd {
 public:
  static constexpr int64_t kQuietNs = 1'000'000'000;

  // One more of this kind ("report mlx5_0:1"), with whom it was. True when it is to be said.
  bool first(const std::string& kind, const std::string& peer, int64_t now);
  // One sentence for each kind that has ceased and was more than one. `all`: ceased or not.
  std::vector<std::string> ceased(int64_t now, bool all = false);
  // Something waits to be counted out.
  bool pending() const;

 private:
  struct Kind {
    int64_t last = 0;
    uint64_t count = 0;
    std::vector<std::string> peers;  // different ones, some
  };
  mutable Mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace polyrail::net
