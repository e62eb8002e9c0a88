// SPDX-License-Identifier: Apache-2.0
// All ranks of a traffic plan at once: as threads that share one copy of NCCL, or as processes with one each.
// Findings of all of them come back in `faults`; the call returns when every rank has ended.
#pragma once

#include "test/contract/host/net_cases.h"
#include "test/contract/host/traffic_plan.h"

namespace polyrail::contract {

void runAsThreads(const CaseContext& context, const TrafficPlan& plan, Faults& faults);
void runAsProcesses(const CaseContext& context, const TrafficPlan& plan, Faults& faults);

// In a forked rank, before it loads the plugin.
void enterRank(const CaseContext& context, int rank);

// Sizes 1..n over `most`, small and large alike, 0 among them; from a seed.
std::vector<size_t> mixedSizes(size_t n, size_t most, uint64_t seed);

// `links` connections from `from` to `to`, each with its own messages.
void addLinks(TrafficPlan& plan, int from, int to, int links, size_t messages, size_t most);

}  // namespace polyrail::contract
