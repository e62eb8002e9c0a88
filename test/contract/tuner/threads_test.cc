// SPDX-License-Identifier: Apache-2.0
// Several communicators on several threads. NCCL takes its lock to load a tuner but not to call its init
// (src/plugin/tuner.cc and src/init.cc, 2.30.7), so everything here runs at once.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <barrier>
#include <thread>

#include "test/contract/host/decision_digest.h"
#include "test/contract/host/generators.h"
#include "test/contract/host/log_sink.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

constexpr int kThreads = 8;

// Each thread: a communicator of its own, its decisions, its end. Threads 0 and 1, 2 and 3, ... have equal shapes.
std::vector<std::string> digestsOfThreads(const TunerHost& host, const std::vector<CommShape>& shapes,
                                          uint64_t seed) {
  std::vector<std::string> digests(kThreads);
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      digests[t] = digestOfDecisions(host, shapes[t / 2], seed);
    });
  for (std::thread& thread : threads) thread.join();
  return digests;
}

RC_GTEST_PROP(TunerThreads, DecideAsOneThreadDoes, ()) {
  const Policy policy = *anyPolicy();
  const auto shapes = *rc::gen::container<std::vector<CommShape>>(kThreads / 2, anyShape());
  const NcclRelease release = *rc::gen::elementOf(kNcclReleases);
  const uint64_t seed = *rc::gen::arbitrary<uint64_t>();
  PolicyInForce inForce(policy);
  LogSink sink;
  TunerHost host = loadTuner(release, sink.function());
  const std::vector<std::string> together = digestsOfThreads(host, shapes, seed);
  for (int t = 0; t < kThreads; t++) RC_ASSERT(together[t] == digestOfDecisions(host, shapes[t / 2], seed));
  RC_ASSERT(sink.count(nccl::LogLevel::kWarn) == 0u);
  host.unload();
  RC_ASSERT(!isMapped(tunerPlugin()));
}

}  // namespace
}  // namespace polyrail::contract
