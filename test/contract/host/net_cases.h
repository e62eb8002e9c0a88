// SPDX-License-Identifier: Apache-2.0
// The net suite: what NCCL's transport asks of a plugin (src/transport/net.cc, src/plugin/net.cc, 2.30.7), one case a
// habit. Each runs in a child process with a deadline, so that a crash or a hang is a finding like any other.
// Traffic is between this machine's own processes.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "test/contract/host/faults.h"

namespace polyrail::contract {

struct CaseContext {
  std::string plugin;
  int abi = 12;  // the newest that is looked for
  int ranks = 4;
  std::chrono::milliseconds patience{5000};  // without anything moving
};

struct NetCase {
  const char* name;
  const char* shows;
  // Faults are findings; a text says why the case does not apply.
  std::string (*run)(const CaseContext&, Faults&);
};

std::span<const NetCase> setUpCases();
std::span<const NetCase> trafficCases();
std::span<const NetCase> endingCases();
std::span<const NetCase> lifeCycleCases();

enum class CaseVerdict { kPassed, kFailed, kSkipped };
struct CaseResult {
  CaseVerdict verdict;
  std::string text;  // findings, or why it does not apply
};
CaseResult runCase(const NetCase& netCase, const CaseContext& context);

}  // namespace polyrail::contract
