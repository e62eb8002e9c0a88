// SPDX-License-Identifier: Apache-2.0
// Finds rails that are slower than their siblings: less than half of their rate for their speed, and longer for a
// chunk, turn after turn while both are loaded. A rail is named once, and again only after it has recovered. A rail
// with little to do is not slow: what it sends takes no longer than elsewhere. A plain value of whoever turns it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/telemetry/rail_load.h"

namespace polyrail::net {

class SlowRails {
 public:
  struct Verdict {
    size_t rail = 0;
    bool slow = false;  // false: it has recovered
    std::string text;   // one line with numbers, and for a slow one what to look at
  };
  // Bytes in a turn from which a rail counts as loaded, and turns in which it must be seen slow, or well, to be
  // named.
  static constexpr uint64_t kLoaded = 4 << 20;
  static constexpr unsigned kTurns = 8;

  // The rails in the same order each time; about four times a second.
  std::vector<Verdict> judge(std::span<const RailLoad> loads);

 private:
  struct Rail {
    bool named = false;
    unsigned turns = 0;  // in a row that speak against what it is taken for
  };
  std::optional<Verdict> judge(size_t rail, std::span<const RailLoad> loads);

  std::vector<Rail> rails_;
};

}  // namespace polyrail::net
