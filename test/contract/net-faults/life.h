// SPDX-License-Identifier: Apache-2.0
// The whole life of a connection in a process of its own, on emulated NICs in real time with faults: init, connect,
// register, send, receive, test, flush, deregister, close, finalize, in NCCL's way and in one thread. Forks: the
// caller must not have used the emulator.
#pragma once

#include <map>
#include <string>

namespace polyrail::contract {

struct LifeEnd {
  std::string crash;   // how the process ended, when not by itself
  bool whole = false;  // everything worked, all data were true
  std::string faults;  // which calls failed
  long warnings = 0;   // lines said
  std::string said;    // the last of them
  std::string left;    // verbs objects after finalize: "mr 1, pd 1"
  long objects = 0;
  long violations = 0;                // writes of a NIC where it must not
  std::map<std::string, long> calls;  // of each verb: "ibv_create_qp" -> 6
};

// `faults`: the list of a fault script, JSON; "[]" for none. Two rails that are one device.
LifeEnd live(const std::string& faults);

}  // namespace polyrail::contract
