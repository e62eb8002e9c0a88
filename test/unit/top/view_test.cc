// SPDX-License-Identifier: Apache-2.0
#include "cli/top/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/top/samples.h"

namespace polyrail::cli {
namespace {

using test::at;
using test::process;
using test::rail;
using testing::ElementsAre;

std::vector<std::string> names(const TopView& view) {
  std::vector<std::string> out;
  for (const RailRow& r : view.rails) out.push_back(r.name);
  return out;
}

std::vector<int> pids(const TopView& view) {
  std::vector<int> out;
  for (const ProcessRow& p : view.processes) out.push_back(p.pid);
  return out;
}

TEST(View, RatesAreOfTheTimeBetweenAndTotalsOfAll) {
  const TopView v = viewOf(at(10, {process(1, {rail("mlx5_0:1", 1000, 500), rail("mlx5_1:1", 0, 0)})}),
                           at(12, {process(1, {rail("mlx5_0:1", 4000, 2500), rail("mlx5_1:1", 3000, 0)})}), {});
  EXPECT_DOUBLE_EQ(v.seconds, 2);
  ASSERT_EQ(v.rails.size(), 2u);
  EXPECT_DOUBLE_EQ(v.rails[0].sentPerSecond, 1500);
  EXPECT_DOUBLE_EQ(v.rails[0].receivedPerSecond, 1000);
  EXPECT_EQ(v.rails[0].bytesSent, 4000u);
  EXPECT_DOUBLE_EQ(v.rails[0].share, 0.625);
  EXPECT_DOUBLE_EQ(v.rails[1].share, 0.375);
  EXPECT_DOUBLE_EQ(v.processes[0].sentPerSecond, 3000);
}

TEST(View, RailsOfSeveralProcessesAreAdded) {
  RailSample broken = rail("mlx5_0:1", 20);
  broken.condition = RailCondition::kRepairing, broken.failures = 2, broken.lastCause = "later",
  broken.lastFailureNs = 9;
  RailSample earlier = rail("mlx5_0:1", 10);
  earlier.slow = true, earlier.failures = 1, earlier.lastCause = "earlier", earlier.lastFailureNs = 8;
  const TopView v = viewOf(at(0, {}), at(1, {process(1, {broken}), process(2, {earlier})}), {});
  ASSERT_EQ(v.rails.size(), 1u);
  EXPECT_EQ(v.rails[0].condition, RailCondition::kRepairing);
  EXPECT_TRUE(v.rails[0].slow);
  EXPECT_EQ(v.rails[0].bytesSent, 30u);
  EXPECT_EQ(v.rails[0].failures, 3u);
  EXPECT_EQ(v.rails[0].processes, 2u);
  EXPECT_EQ(v.rails[0].lastCause, "later");
  EXPECT_EQ(v.processes[0].railsUp, 0u);
  EXPECT_EQ(v.processes[1].railsUp, 1u);
}

// A process of the same number is another one when it began at another time.
TEST(View, AProcessThatBeganMeanwhileHasMovedAllOfItsBytesMeanwhile) {
  ProcessSample another = process(1, {rail("a:1", 100)});
  another.startedNs = 2;
  const TopView v = viewOf(at(0, {process(1, {rail("a:1", 5000)})}), at(1, {another}), {});
  EXPECT_DOUBLE_EQ(v.rails[0].sentPerSecond, 100);
}

TEST(View, ACounterThatWentBackIsNoRate) {
  const TopView v = viewOf(at(0, {process(1, {rail("a:1", 5000)})}), at(1, {process(1, {rail("a:1", 100)})}), {});
  EXPECT_EQ(v.rails[0].sentPerSecond, 0);
  EXPECT_EQ(v.rails[0].share, 0);
}

TEST(View, LatencyIsOfTheChunksThatWereTimedBetween) {
  RailSample before = rail("a:1"), now = rail("a:1");
  test::take(&before.latency, 1 << 20, 1000);
  now.latency = before.latency;
  test::take(&now.latency, 10'000, 98);
  test::take(&now.latency, 100'000, 2);
  before.chunksSent = 64'000, now.chunksSent = 70'400;
  const TopView v = viewOf(at(0, {process(1, {before})}), at(1, {process(1, {now})}), {});
  EXPECT_EQ(v.rails[0].chunks, 6400u);
  EXPECT_EQ(v.rails[0].p50Ns, 16384);
  EXPECT_EQ(v.rails[0].p99Ns, 131072);
}

TEST(View, NamesAreSortedAsPeopleCount) {
  const TopView v = viewOf(
      at(0, {}), at(1, {process(1, {rail("mlx5_10:1"), rail("mlx5_2:2"), rail("mlx5_2:1"), rail("bnxt0:1")})}), {});
  EXPECT_THAT(names(v), ElementsAre("bnxt0:1", "mlx5_2:1", "mlx5_2:2", "mlx5_10:1"));
}

TEST(View, ProcessesAreSortedByRankThenNumber) {
  const TopView v =
      viewOf(at(0, {}), at(1, {process(7, {}), process(5, {}, 1), process(9, {}, 0), process(3, {})}), {});
  EXPECT_THAT(pids(v), ElementsAre(9, 5, 3, 7));
}

TEST(View, OnlyWhatIsSelected) {
  const TopSample now = at(1, {process(1, {rail("a:1", 1), rail("b:1", 2)}, 0), process(2, {rail("b:2", 4)}, 1)});
  const auto view = [&](const TopSelection& s) { return viewOf(at(0, {}), now, s); };
  EXPECT_THAT(pids(view({.pids = {2}, .ranks = {}, .devices = {}})), ElementsAre(2));
  EXPECT_THAT(pids(view({.pids = {}, .ranks = {0}, .devices = {}})), ElementsAre(1));
  EXPECT_THAT(pids(view({.pids = {2}, .ranks = {0}, .devices = {}})), ElementsAre());
  EXPECT_EQ(view({.pids = {2}, .ranks = {0}, .devices = {}}).hidden, 2u);
  EXPECT_THAT(names(view({.pids = {}, .ranks = {}, .devices = {"b"}})), ElementsAre("b:1", "b:2"));
  const TopView one = view({.pids = {}, .ranks = {}, .devices = {"b:1"}});
  EXPECT_THAT(names(one), ElementsAre("b:1"));
  EXPECT_THAT(pids(one), ElementsAre(1));
  EXPECT_EQ(one.processes[0].bytesSent, 2u);
  EXPECT_EQ(one.hidden, 1u);
}

TEST(View, PathsFollowTheirProcessAndRail) {
  const auto withPath = [](int pid, int rank, uint64_t bytes) {
    ProcessSample p = process(pid, {rail("a:1")}, rank);
    PathSample path;
    path.comm = 4, path.index = 1, path.rail = "a:1", path.bytes = bytes;
    p.paths = {path};
    return p;
  };
  const TopView v = viewOf(at(0, {withPath(1, 1, 10)}), at(2, {withPath(1, 1, 30), withPath(2, 0, 8)}), {});
  ASSERT_EQ(v.paths.size(), 2u);
  EXPECT_EQ(v.paths[0].pid, 2);
  EXPECT_DOUBLE_EQ(v.paths[0].bytesPerSecond, 4);
  EXPECT_DOUBLE_EQ(v.paths[1].bytesPerSecond, 10);
  EXPECT_TRUE(
      viewOf(at(0, {}), at(1, {withPath(1, 1, 1)}), {.pids = {}, .ranks = {}, .devices = {"b"}}).paths.empty());
}

}  // namespace
}  // namespace polyrail::cli
