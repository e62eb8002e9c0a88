// SPDX-License-Identifier: Apache-2.0
// Properties of the tuner that ships, over random policies, communicators, calls and NCCL releases.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "common/policy/policy_file.h"
#include "test/contract/host/expectation.h"
#include "test/contract/host/generators.h"
#include "test/contract/host/log_sink.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

constexpr int kCalls = 60;  // per policy and communicator

std::string joined(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string(), [](auto a, auto& b) { return a + b + "\n"; });
}

struct Drawn {
  NcclRelease release = *rc::gen::elementOf(kNcclReleases);
  // The plugin exports them all, so that NCCL from 2.22 on never uses version 2.
  int abi = *rc::gen::inRange(std::min(3, release.newestAbi), release.newestAbi + 1);
};

// Costs without order or meaning, so that a choice is never right by luck.
CostModel randomCosts(uint64_t seed) {
  return [seed](const CommShape&, const Call& call, int a, int p) {
    uint64_t x = seed + call.bytes * 31 + static_cast<uint64_t>(a * 3 + p) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
    return 1 + static_cast<float>(x >> 44);
  };
}

void checkCalls(const TunerHost& host, const Policy& policy, Communicator& comm) {
  if (*rc::gen::arbitrary<bool>()) TunerHost::setCosts(comm, randomCosts(*rc::gen::arbitrary<uint64_t>()));
  for (int i = 0; i < kCalls; i++) {
    Call call = *anyCall(policy, comm.shape);
    if (host.abi() < 5) call.allGatherV = false;  // NCCL 2.29 brought it; it finds version 6 or 5 in this plugin
    const Outcome outcome = host.ask(comm, call);
    if (!call.allGatherV || !policy.options.allGatherChannels) RC_ASSERT(joined(outcome.faults) == "");
    RC_ASSERT(joined(departures(policy, host, comm.shape, call, outcome)) == "");
  }
}

RC_GTEST_PROP(TunerProperties, DecidesWhatThePolicySaysAndNothingElse, ()) {
  const Policy policy = *anyPolicy();
  const Drawn nccl;
  PolicyInForce inForce(policy);
  LogSink sink;
  TunerHost host = loadTuner(nccl.release, sink.function(), nccl.abi);
  for (int i = 0; i < 3; i++) {
    Result<Communicator> comm = host.create(*anyShape());
    RC_ASSERT(comm.ok());
    checkCalls(host, policy, comm.value());
    RC_ASSERT(host.destroy(comm.value()) == nccl::Result::kSuccess);
  }
  RC_ASSERT(sink.count(nccl::LogLevel::kWarn) == 0u);
}

}  // namespace
}  // namespace polyrail::contract
