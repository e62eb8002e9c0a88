// SPDX-License-Identifier: Apache-2.0
// The net suite: what NCCL's transport asks of a plugin (src/transport/net.cc, src/plugin/net.cc, 2.30.7), one case a
// habit. Each runs in a child process with a deadline, so that a crash or a hang is a finding like any other.
// Traffic is between this machine's own threads and processes. Call from one thread.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "test/contract/host/faults.h"

namespace polyrail::contract {

struct CaseContext {
  std::string plugin;
  int abi = 12;  // the newest that is looked for
  int ranks = 4;
  size_t share = 1;                          // one message of so many: the same cases, less traffic
  std::chrono::milliseconds patience{5000};  // without anything moving
  bool logAll = false;                       // `said` has all that the plugin logged, not only warnings
  std::vector<int> fused = {};               // these devices fuse into the one that everything goes over
  // An environment variable that differs between ranks that are processes: rank r has value r modulo their number.
  struct RankVariable {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<RankVariable> rankEnvironment = {};
  // What is planned as `messages`, at least 1.
  size_t messages(size_t planned) const { return planned / share > 0 ? planned / share : 1; }
};

struct NetCase {
  const char* name;
  const char* shows;
  // Faults are findings; a text says why the case does not apply.
  std::string (*run)(const CaseContext&, Faults&);
};

std::span<const NetCase> setUpCases();
std::span<const NetCase> connectionCases();
std::span<const NetCase> oneThreadCases();
std::span<const NetCase> trafficCases();
std::span<const NetCase> endingCases();
std::span<const NetCase> lifeCycleCases();
std::span<const NetCase> forkCases();
// All of them, in the order in which NCCL's life goes.
std::vector<const NetCase*> allNetCases();

enum class CaseVerdict { kPassed, kFailed, kSkipped };
struct CaseResult {
  CaseVerdict verdict;
  std::string text;  // findings, a sentence a line, or why it does not apply
  std::string said;  // what the plugin warned of through NCCL's logger, printed, or a sanitizer reported
};
CaseResult runCase(const NetCase& netCase, const CaseContext& context);

}  // namespace polyrail::contract
