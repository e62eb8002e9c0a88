// SPDX-License-Identifier: Apache-2.0
// What an operator reads: lines that one grep finds, none cut, with everything that is known; and no flood of them.
#include "net/report/report.h"

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include "common/log.h"
#include "net/report/crowd.h"

namespace polyrail::net {
namespace {

Evidence linkDied() {
  Evidence e;
  e.ending = Ending::kNoPath;
  e.why = "no path to the peer for 30000 ms (POLYRAIL_NO_PATH_TIMEOUT)";
  e.sends = true;
  e.ranks = {3};
  e.host = "gpu-a";
  e.process = 4711;
  e.peer = "10.0.0.2:7 (gpu-b, process 77)";
  e.rails = {{.name = "mlx5_0:1",
              .device = "mlx5_0",
              .gidIndex = 3,
              .gid = "::ffff:10.1.0.1",
              .counted = true,
              .changes = {{"symbol_error", 13}}}};
  e.paths = {{.rail = 0,
              .remoteRail = "mlx5_2:1",
              .remoteGid = "::ffff:10.1.0.2",
              .queuePair = 17,
              .remoteQueuePair = 18,
              .first = {Symptom::kCompletion, IBV_WC_RETRY_EXC_ERR, "transport retry counter"},
              .latest = "the port is not active"}};
  e.events = {{30'500'000'000, "path mlx5_0:1 - mlx5_2:1: transport retry counter"}};
  return e;
}

TEST(Report, SaysAllThatIsKnownInLinesThatBeginAlike) {
  const std::vector<std::string> lines = reportLines(linkDied(), "4711-1");
  std::string all;
  for (const std::string& line : lines) {
    EXPECT_TRUE(line.starts_with("report 4711-1: ")) << line;
    EXPECT_LT(line.size() + 32, Log::kMaxLine);
    all += line + "\n";
  }
  EXPECT_EQ(lines[0], "report 4711-1: connection lost: no path to the peer for 30000 ms (POLYRAIL_NO_PATH_TIMEOUT)");
  for (const char* part :
       {"sender, rank 3, host gpu-a, process 4711", "peer: rank unknown, 10.0.0.2:7 (gpu-b, process 77)",
        "path mlx5_0:1 (port 1, GID 3 ::ffff:10.1.0.1, QP 17) to mlx5_2:1 (GID ::ffff:10.1.0.2, QP 18): transport",
        "since then: the port is not active", "symbol_error +13", "30.500 s before: path", "likely: 1. bit errors",
        "[bit-errors]", "[silence]", "next: mlxlink"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

TEST(Report, AReceiverKnowsItsPeersRank) {
  Evidence e = linkDied();
  e.sends = false;
  const std::string ends = reportLines(e, "1")[1];
  EXPECT_NE(ends.find("receiver, rank unknown"), std::string::npos) << ends;
  EXPECT_NE(ends.find("peer: rank 3"), std::string::npos) << ends;
}

TEST(Report, LongTextsAreCutAndManyPathsCounted) {
  Evidence e = linkDied();
  e.paths.assign(24, e.paths[0]);
  e.why.assign(5000, 'x');
  const std::vector<std::string> lines = reportLines(e, "1");
  EXPECT_LT(lines.size(), 16u);
  for (const std::string& line : lines) EXPECT_LT(line.size(), Log::kMaxLine);
}

TEST(Report, OneNicHasOneCulpritWhateverThePeers) {
  Evidence first = linkDied(), second = linkDied();
  second.peer = "10.0.0.3:7 (gpu-c, process 78)";
  EXPECT_EQ(culprit(first), culprit(second));
  first.ending = second.ending = Ending::kPeerDied;
  EXPECT_NE(culprit(first), culprit(second));
}

TEST(Crowd, OfAThousandAlikeOneIsSaidAndTheRestCounted) {
  Crowd crowd;
  int said = 0;
  for (int i = 0; i < 1000; i++) said += crowd.first("rail mlx5_0:1 failed", "peer " + std::to_string(i % 3), i);
  EXPECT_EQ(said, 1);
  EXPECT_TRUE(crowd.pending());
  EXPECT_TRUE(crowd.ceased(Crowd::kQuietNs / 2).empty());
  EXPECT_EQ(crowd.ceased(2 * Crowd::kQuietNs),
            std::vector<std::string>{"rail mlx5_0:1 failed: the same 999 more times; peers: peer 1, peer 2, peer 0"});
  EXPECT_FALSE(crowd.pending());
  EXPECT_TRUE(crowd.first("rail mlx5_0:1 failed", "peer 1", 3 * Crowd::kQuietNs)) << "it is news again";
}

TEST(Crowd, WhatHappenedOnceIsNotCounted) {
  Crowd crowd;
  crowd.first("a", "p", 0);
  EXPECT_TRUE(crowd.ceased(0, true).empty());
  EXPECT_FALSE(crowd.pending());
}

}  // namespace
}  // namespace polyrail::net
