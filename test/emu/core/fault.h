// SPDX-License-Identifier: Apache-2.0
// A fault script: what goes wrong, and when. Plain values read from JSON (test/emu/README.md has the format); the
// FaultEngine of a World plays them.
#pragma once

#include <infiniband/verbs.h>

#include <string>
#include <vector>

#include "common/status.h"
#include "test/emu/core/calls.h"
#include "test/emu/core/event_queue.h"

namespace polyrail::emu {

enum class When : uint8_t { kTime, kBytes, kCall };

enum class Act : uint8_t {
  kPortDown,  // set the port down, with or without an event
  kPortUp,
  kBlackHole,          // packets vanish, silently
  kHeal,               // ends black_hole, slow and loss
  kSlow,               // to a percentage of the rate
  kLoss,               // packets vanish with a probability
  kCompleteWith,       // work requests end with a status
  kLate,               // packets are held back and land later
  kAckWithoutPlacing,  // the receiver acknowledges and places nothing
  kReorder,            // the last part of a message lands before the first
  kFlush,              // flush completions come late or never
  kGidChange,          // another GID at an index
  kGidRemove,
  kDeviceRemoval,
  kHostDeath,
  kFail,  // the call returns an errno
  kDelay  // the call takes longer
};

// Which packets a rule is for.
struct PacketFilter {
  std::string op = "any";            // any, data, write, write_imm, send, read, atomic, ack
  int64_t min = 0, max = INT64_MAX;  // bytes of the message
};

struct Fault {
  When when = When::kTime;
  Time at = 0;
  int64_t bytes = 0;  // sent by port `watch`
  std::string watch;
  Call call = Call::kPostSend;
  int64_t nth = 1;       // counted from 1, per host
  std::string callHost;  // empty: any

  Act act = Act::kBlackHole;
  std::string target;  // "host", "host/nic" or "host/nic/port"
  bool event = true;
  Time lasting = 0;  // 0: for good
  Time by = 0;
  int64_t count = 1;  // packets, completions or calls; 0: all
  double amount = 0;  // percent of the rate, or probability
  std::string direction = "both";
  ibv_wc_status status = IBV_WC_GENERAL_ERR;
  int error = 0;  // errno
  PacketFilter filter;
  bool cut = true;         // late: the queue pair's other packets are lost meanwhile
  bool forcePsn = false;   // late: accepted by whatever queue pair has the number when it lands
  bool immediate = false;  // ack_without_placing: the receive completes all the same
  bool never = false;      // flush: the completions do not come at all
  int gidIndex = 0;
  ibv_gid gid{};
};

using FaultScript = std::vector<Fault>;
Result<FaultScript> parseFaults(const std::string& text, const std::string& name);

}  // namespace polyrail::emu
