// SPDX-License-Identifier: Apache-2.0
#include "cli/top/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/table.h"
#include "test/unit/top/samples.h"

namespace polyrail::cli {
namespace {

using test::at;
using test::process;
using test::rail;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TopView busy() {
  RailSample good = rail("mlx5_0:1", 12'500'000'000, 1 << 20), slow = rail("mlx5_1:1", 1'250'000'000);
  test::take(&good.latency, 20'000, 100);
  slow.slow = true, slow.serviceRate = 1'500'000'000;
  RailSample broken = rail("mlx5_2:1");
  broken.condition = RailCondition::kFailed, broken.failures = 2, broken.lastCause = "it swallows packets";
  broken.lastFailureNs = 500'000'000;
  return viewOf(at(0, {}), at(1, {process(4711, {good, slow, broken}, 3)}), {});
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Frame, SaysHowEachRailIs) {
  const std::string shown = joined(frameOf(busy(), {}, false));
  EXPECT_EQ(shown, R"(1 process, 2 of 3 rails up, 110 Gb/s sent, 0.01 Gb/s received, over 1 s

RAIL      STATE     SENT Gb/s  RECEIVED Gb/s   SHARE      P50      P99  FAILURES  REVIVED       SENT  RECEIVED  PROCESSES
mlx5_0:1  up              100           0.01  90.9 %  32.8 us  32.8 us         -        -  11.64 GiB     1 MiB          1
mlx5_1:1  up, slow      10.00              -   9.1 %        -        -         -        -  1.164 GiB         -          1
mlx5_2:1  failed            -              -   0.0 %        -        -         2        -          -         -          1

RANK   PID  RAILS UP  SENT Gb/s  RECEIVED Gb/s  FAILURES  COMMS       SENT  RECEIVED  COMMAND
   3  4711       2/3        110           0.01         2      2  12.81 GiB     1 MiB  train

mlx5_1:1: slower than its siblings: 12.00 Gb/s while loaded
mlx5_2:1: 2 failures, last 500 ms ago: it swallows packets
)");
}

TEST(Frame, LeavesOutWhatSaysLeastWhereItIsNarrow) {
  for (const size_t columns : {120u, 100u, 80u, 60u, 40u}) {
    const std::vector<std::string> lines = railLines(busy().rails, {columns, false});
    for (const std::string& line : lines) EXPECT_LE(columnsOf(line), columns) << line;
    EXPECT_THAT(lines[0], HasSubstr("RAIL"));
    EXPECT_THAT(lines[0], HasSubstr("SENT Gb/s"));
  }
  EXPECT_THAT(railLines(busy().rails, {80, false})[0], HasSubstr("FAILURES"));
  EXPECT_THAT(railLines(busy().rails, {80, false})[0], Not(HasSubstr("PROCESSES")));
  EXPECT_THAT(railLines(busy().rails, {1, false})[0], HasSubstr("STATE"));
}

TEST(Frame, ColoursOnlyWhereAsked) {
  EXPECT_THAT(joined(frameOf(busy(), {0, false}, true)), Not(HasSubstr("\x1b")));
  EXPECT_THAT(joined(frameOf(busy(), {0, true}, true)), HasSubstr("\x1b[31mup, slow\x1b[0m"));
}

TEST(Frame, PathsWhereAsked) {
  ProcessSample p = process(1, {rail("a:1")});
  PathSample path;
  path.comm = 9, path.sends = true, path.rail = "a:1", path.peerRail = "b:1", path.peer = "node7",
  path.phase = "fenced";
  p.paths = {path};
  const TopView view = viewOf(at(0, {}), at(1, {p}), {});
  EXPECT_THAT(joined(frameOf(view, {}, false)), Not(HasSubstr("node7")));
  EXPECT_THAT(joined(frameOf(view, {}, true)),
              HasSubstr("   ?    1     9     0  send  a:1   node7  b:1        fenced"));
}

TEST(Frame, SaysWhatIsNotShown) {
  TopSample now = at(1, {process(1, {}), process(2, {})});
  now.ended = {"/dev/shm/polyrail.\x1b[2J"};
  now.unreadable = {"/dev/shm/polyrail.x: it is no telemetry file of polyrail"};
  const auto lines = frameOf(viewOf(at(0, {}), now, {.pids = {1}, .ranks = {}, .devices = {}}), {}, false);
  EXPECT_THAT(lines, Contains("1 file was left by processes that have ended: /dev/shm/polyrail.?[2J"));
  EXPECT_THAT(lines, Contains("/dev/shm/polyrail.x: it is no telemetry file of polyrail"));
  EXPECT_THAT(lines, Contains("1 process is not selected"));
}

TEST(Frame, RatesFromNothingToMuch) {
  EXPECT_EQ(gigabits(0), "-");
  EXPECT_EQ(gigabits(1), "<0.01");
  EXPECT_EQ(gigabits(12.4e9), "99.20");
  EXPECT_EQ(gigabits(50e9), "400");
}

}  // namespace
}  // namespace polyrail::cli
