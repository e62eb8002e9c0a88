// SPDX-License-Identifier: Apache-2.0
// What a policy says about one call, by the plainest reading of it: tables in order, rules in order, the first that
// holds; of its choices the first that NCCL allows. The tuner's compiled answer must be this one. Pure functions.
#pragma once

#include "common/policy/policy.h"
#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {

struct Expectation {
  const Choice* choice = nullptr;  // into the policy; null: the table and *nChannels stay as they are
  int channels = 0;                // in *nChannels; 0: untouched
  bool operator==(const Expectation&) const = default;
};

// `abi` is the version the plugin is driven by; 2 chooses blindly (design.md 2).
Expectation expectationOf(const Policy& policy, int abi, const CommShape& shape, const Call& call,
                          const CostTable& before);

// Where the outcome is not what the policy says, in words; empty when it is.
std::vector<std::string> departures(const Policy& policy, const TunerHost& host, const CommShape& shape,
                                    const Call& call, const Outcome& outcome);

}  // namespace polyrail::contract
