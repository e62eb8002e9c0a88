// SPDX-License-Identifier: Apache-2.0
// What a comm's end remembers of a path for its repair: where it stands, what its queue pair still owes, when it is
// to be tried again. Plain values of one comm.
#pragma once

#include <cstdint>
#include <string>

#include "net/report/evidence.h"

namespace polyrail::net {

struct PathCare {
  enum class Phase : uint8_t {
    kLive,
    kBroken,   // out of use; its queue pair is on its way to ERR
    kFenced,   // both ends are in ERR and drained
    kMaking,   // a new queue pair is being made at both ends
    kProving,  // its first WRITE is under way
  };
  Phase phase = Phase::kLive;
  bool stopped = false;                              // its queue pair has been moved to ERR
  bool sendDrained = false, receiveDrained = false;  // all that was posted has completed
  bool proven = false, told = false;                 // our own first WRITE has completed; the peer was told
  uint32_t failures = 0;                             // since it last held for a while
  int64_t nextTry = 0, deadline = 0;                 // of making it anew
  int64_t liveSince = 0, brokenSince = 0;
  Failure first;    // what took it out of use the last time that it was live
  std::string why;  // the latest: that, or what a try to bring it back met
  // What telemetry shows, since the comm was opened
  uint64_t broken = 0, revived = 0, stuck = 0;  // stuck: of those that broke, by the watchdog
  int64_t changed = 0;                          // when it last broke or came back
  // The watchdog's
  uint32_t completions = 0, seen = 0;  // counted by the hot path; as last looked at
  int64_t progress = 0;                // when that last changed, or nothing was owed
  bool owes = false;                   // posted work that has not completed
  bool probing = false;                // among it a WRITE that only asks whether the peer is there
};

// How much of a rail's events has been taken note of.
struct RailSeen {
  uint32_t downs = 0, ups = 0;
};

}  // namespace polyrail::net
