// SPDX-License-Identifier: Apache-2.0
// Loading, initialising, finalising and unloading the tuner that ships, as NCCL does it and as it does when things
// fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/policy/policy_file.h"
#include "test/contract/host/log_sink.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

// Ring/Simple on 4 channels for every AllReduce.
Policy simplePolicy() {
  Policy policy;
  policy.name = "simple";
  Table table;
  Rule rule;
  rule.choices.emplace_back().channels = 4;
  table.rules.push_back(rule);
  policy.tables.push_back(table);
  return policy;
}

// As much of it as tells two policies apart in a log.
std::string digestOf(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return policyDigest(text.str()).substr(0, 16);
}

class TunerLifecycle : public testing::TestWithParam<NcclRelease> {};
INSTANTIATE_TEST_SUITE_P(Nccl, TunerLifecycle, testing::ValuesIn(kNcclReleases), releaseName);

TEST_P(TunerLifecycle, ExportsTheNewestAbiOfTheReleaseAndItsName) {
  TunerHost host = loadTuner(GetParam(), nullptr);
  EXPECT_EQ(host.abi(), GetParam().newestAbi);
  EXPECT_STREQ(host.name(), "polyrail");
}

TEST_P(TunerLifecycle, ChoosesWithoutALogger) {
  PolicyInForce inForce(simplePolicy());
  TunerHost host = loadTuner(GetParam(), nullptr);
  Result<Communicator> comm = host.create({});
  ASSERT_TRUE(comm.ok()) << comm.message();
  const Outcome outcome = host.ask(comm.value(), {.bytes = 64 << 20});
  EXPECT_THAT(outcome.faults, testing::IsEmpty());
  EXPECT_EQ(outcome.channels, 4);
  EXPECT_EQ(host.destroy(comm.value()), nccl::Result::kSuccess);
}

TEST_P(TunerLifecycle, LogsThePolicysDigestOncePerCommunicator) {
  PolicyInForce inForce(simplePolicy());
  LogSink sink;
  TunerHost host = loadTuner(GetParam(), sink.function());
  for (size_t communicators = 1; communicators <= 3; communicators++) {
    Result<Communicator> comm = host.create({});
    size_t lines = 0;
    for (const LogLine& line : sink.lines()) lines += line.text.find(digestOf(inForce.path())) != std::string::npos;
    EXPECT_EQ(lines, communicators) << sink.text();
    host.destroy(comm.value());
  }
  EXPECT_EQ(sink.count(nccl::LogLevel::kWarn), 0u) << sink.text();
}

TEST_P(TunerLifecycle, ReallyLeavesAtUnload) {
  PolicyInForce inForce(simplePolicy());
  for (int i = 0; i < 50; i++) {
    TunerHost host = loadTuner(GetParam(), nullptr);
    Result<Communicator> comm = host.create({});
    host.ask(comm.value(), {.bytes = 1024});
    host.destroy(comm.value());
    host.unload();
    ASSERT_FALSE(isMapped(tunerPlugin())) << "after load " << i + 1;
  }
}

// NCCL finalises what its own failed initialisation left behind: a context that was never set.
TEST_P(TunerLifecycle, FinalizesACommunicatorThatWasNeverInitialised) {
  TunerHost host = loadTuner(GetParam(), nullptr);
  Communicator never;
  EXPECT_EQ(host.destroy(never), nccl::Result::kSuccess);
}

TEST_P(TunerLifecycle, TakesAnyCommunicatorShape) {
  PolicyInForce inForce(simplePolicy());
  TunerHost host = loadTuner(GetParam(), nullptr);
  for (const auto& [ranks, nodes] : std::vector<std::pair<size_t, size_t>>{
           {1, 1}, {0, 0}, {1, 0}, {0, 1}, {7, 3}, {2, 2}, {SIZE_MAX, 1}, {SIZE_MAX, SIZE_MAX}, {1 << 20, 1 << 17}}) {
    CommShape shape;
    shape.ranks = ranks, shape.nodes = nodes;
    Result<Communicator> comm = host.create(shape);
    ASSERT_TRUE(comm.ok()) << ranks << " ranks on " << nodes << " nodes: " << comm.message();
    host.destroy(comm.value());
  }
}

// PyTorch's NCCL and the application's own: one library, two owners, each with its logger.
TEST(TunerTwice, TwoNcclsInOneProcessDoNotMeet) {
  PolicyInForce inForce(simplePolicy());
  LogSink first, second;
  TunerHost older = loadTuner(kNcclReleases[0], first.function());
  TunerHost newer = loadTuner(kNcclReleases[6], second.function());
  Result<Communicator> a = older.create({}), b = newer.create({});
  EXPECT_EQ(first.lines().size(), second.lines().size()) << first.text() << second.text();
  EXPECT_FALSE(first.lines().empty());
  EXPECT_EQ(older.destroy(a.value()), nccl::Result::kSuccess);
  older.unload();
  EXPECT_EQ(newer.ask(b.value(), {.bytes = 64 << 20}).channels, 4);
  EXPECT_EQ(newer.destroy(b.value()), nccl::Result::kSuccess);
  newer.unload();
  EXPECT_FALSE(isMapped(tunerPlugin()));
  EXPECT_EQ(strayLogCalls(), 0u);
}

}  // namespace
}  // namespace polyrail::contract
