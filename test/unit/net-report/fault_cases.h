// SPDX-License-Identifier: Apache-2.0
// Every kind of fault that the emulator can inject, and what must be said of it: on one of two rails, a line that
// names rail, peer and cause; on all of an end's rails, a report at both ends that does. In virtual time. What no end
// can tell from health (a slow rail, packets out of order) must not be spoken of.
#pragma once

#include <string>
#include <vector>

namespace polyrail::net {

struct FaultCase {
  const char* name;
  const char* act;           // a fault of the emulator without its target
  const char* target = "a";  // its host
  const char* here = "";     // cause that the sender's report must name first; empty: nothing may be said
  const char* there = "";    // and the receiver's
  const char* line = "";     // what the line on a rail that was survived must say of the cause; empty: no line
};

std::vector<FaultCase> allFaultCases();

// What is wrong with what was said; empty: nothing. `said` gets it, for people.
std::string judgeSurvived(const FaultCase& fault, std::string* said);
std::string judgeEnded(const FaultCase& fault, std::string* said);

}  // namespace polyrail::net
