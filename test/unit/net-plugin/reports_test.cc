// SPDX-License-Identifier: Apache-2.0
// What the plugin says when a thousand comms die of one NIC: one report, with the counters that moved, and a count.
#include "net/plugin/reports.h"

#include <gtest/gtest.h>

#include <cstdarg>

#include "test/unit/temp_dir.h"

namespace polyrail::net {
namespace {

std::vector<std::string> gSaid;

void logger(nccl::LogLevel, unsigned long, const char*, int, const char* format, ...) {
  char line[1100];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  gSaid.push_back(line);
}

struct ReportsTest : testing::Test {
  ReportsTest() { gSaid.clear(); }
  void count(const char* counter, int value) {
    dir.write(std::string("sys/class/infiniband/mlx5_0/ports/1/") + counter, std::to_string(value) + "\n");
  }
  static Evidence linkDied(int peer) {
    Evidence e;
    e.ending = Ending::kNoPath;
    e.why = "no path";
    e.peer = "10.0.0." + std::to_string(peer) + ":1 (node" + std::to_string(peer) + ", process 7)";
    e.rails.resize(1);
    e.rails[0].name = "mlx5_0:1";
    e.rails[0].device = "mlx5_0";
    return e;
  }
  size_t lines(const std::string& part) const {
    size_t n = 0;
    for (const std::string& line : gSaid) n += line.find(part) != std::string::npos;
    return n;
  }
  test::TempDir dir;
  ManualClock clock{1};
  Greeting self{.tunerPlugin = "", .algo = "", .proto = "", .host = "node1", .process = 4711};
  SysRoot root = SysRoot::at(dir.file("")).value();
  Reports reports{root, clock, self};
  const Log log{logger, "NET/polyrail"};
};

TEST_F(ReportsTest, AThousandThatDieOfOneNicAreOneReportAndACount) {
  count("counters/link_downed", 4);
  reports.beginCounting("mlx5_0", 1);
  count("counters/link_downed", 5);
  for (int i = 0; i < 1000; i++) reports.ended(log, linkDied(i % 50));
  EXPECT_LE(gSaid.size(), 10u);
  EXPECT_EQ(lines("report 4711-1: "), gSaid.size());
  EXPECT_EQ(lines("link_downed +1"), 1u);
  EXPECT_EQ(lines("host node1, process 4711"), 1u);
  EXPECT_GT(reports.sayCounts(log), 0) << "it wants to be called again";
  clock.advance(2 * Crowd::kQuietNs);
  EXPECT_EQ(reports.sayCounts(log), -1);
  EXPECT_EQ(lines("report on mlx5_0:1: the same 999 more times; peers: 10.0.0.1:1 (node1"), 1u);
}

TEST_F(ReportsTest, AnotherCauseHasAReportOfItsOwn) {
  reports.ended(log, linkDied(1));
  Evidence died = linkDied(2);
  died.ending = Ending::kPeerDied;
  reports.ended(log, died);
  EXPECT_GT(lines("report 4711-1: "), 3u);
  EXPECT_GT(lines("report 4711-2: "), 3u);
  EXPECT_EQ(lines("the kernel shows none"), 2u);
}

TEST_F(ReportsTest, AMisuseIsOneSentence) {
  Evidence e = linkDied(1);
  e.ending = Ending::kMisuse;
  e.why = "a send of 8 bytes met a receive of 4";
  reports.ended(log, e);
  ASSERT_EQ(gSaid.size(), 1u);
  EXPECT_EQ(lines(e.why), 1u);
}

TEST_F(ReportsTest, RailsThatFailTogetherAreSaidOnce) {
  for (int i = 0; i < 100; i++)
    reports.railNews(log, "rail mlx5_0:1 failed", "node2", "path mlx5_0:1 - mlx5_0:1: down");
  EXPECT_EQ(gSaid.size(), 1u);
  reports.sayCounts(log, true);
  EXPECT_EQ(lines("rail mlx5_0:1 failed: the same 99 more times; peers: node2"), 1u);
}

}  // namespace
}  // namespace polyrail::net
