// SPDX-License-Identifier: Apache-2.0
// What `polyrail sweep` is to measure and how: collectives on communicator shapes, sizes, and the ways to steer NCCL
// that are tried against its default. Comes from a file (plan_file.h), from options, or both; checkPlan() has seen it
// before anything runs. A plain value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/learn/arm.h"
#include "common/status.h"

namespace polyrail::sweep {

struct Layout {
  int nodes = 1, ranksPerNode = 0;
  int ranks() const { return nodes * ranksPerNode; }
  bool operator==(const Layout&) const = default;
};

struct Plan {
  std::vector<nccl::Collective> collectives = {nccl::Collective::kAllReduce};
  std::vector<nccl::Algorithm> algorithms = {nccl::Algorithm::kTree, nccl::Algorithm::kRing};
  std::vector<nccl::Protocol> protocols = {nccl::Protocol::kLl, nccl::Protocol::kLl128, nccl::Protocol::kSimple};
  std::vector<int> channels = {0};  // 0: NCCL's own number
  std::vector<Layout> layouts;
  // As nccl-tests' -b, -e, -f: bytes of its size column, for every collective.
  uint64_t minBytes = 1 << 10, maxBytes = 1 << 30;
  int factor = 2;
  int iterations = 20, warmups = 5;  // -n, -w
  int repeats = 5;                   // runs of each combination that stays in the race, and of the default
  int attempts = 2;                  // of a run that fails, before its combination is given up
  double timeout = 600;              // seconds of one run
  bool full = false;                 // measure everything: no race
  std::string launcher = "local", program = "{test}_perf", arguments;
  std::map<std::string, std::string> environment;  // for every run
};

// The error names the value and its range.
Status checkPlan(const Plan& plan);

// minBytes, minBytes * factor, ... up to maxBytes.
std::vector<uint64_t> sizesOf(const Plan& plan);

// The combinations for which NCCL has a kernel, in the plan's order.
std::vector<cli::Arm> armsOf(const Plan& plan, nccl::Collective collective);

// "2x8": nodes x ranks of each. An error says what is wrong with it.
Result<Layout> parseLayout(const std::string& text);
std::string describe(const Layout& layout);

}  // namespace polyrail::sweep
