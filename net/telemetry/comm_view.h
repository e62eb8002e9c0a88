// SPDX-License-Identifier: Apache-2.0
// What a comm shows of itself: its record and those of its paths, as it fills them in. Whoever keeps the mapped file
// adds the id, the device, the peer and where its rails stand in the file's table; until then PathRecord::rail counts
// in the comm's own rails. Plain value; kept and filled again, so that showing allocates once.
#pragma once

#include <vector>

#include "net/telemetry/layout.h"

namespace polyrail::net {

struct CommView {
  CommRecord comm{};
  std::vector<PathRecord> paths;
};

}  // namespace polyrail::net
