// SPDX-License-Identifier: Apache-2.0
#include "cli/read/reader.h"

#include <gtest/gtest.h>

namespace polyrail {
namespace {

constexpr char kHeader[] =
    "# nccl-tests version 2.18.3 nccl-headers=22902 nccl-library=22902\n"
    "# Collective test starting: all_gather_perf\n"
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 50 agg iters: 1 "
    "validation: 1 graph: 0 unalign: 0\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   7001 on      boxa device  0 [0000:01:00] Some GPU 80GB\n"
    "#  Rank  1 Group  0 Pid   7001 on      boxb device  1 [0000:02:00] Some GPU 80GB\n"
    "#\n"
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  "
    "#wrong \n";

TEST(Reader, CleanTable) {
  const CollectedRuns read = collectRunsFromText(
      std::string(kHeader) +
          "     1048576        131072     float    none      -1    21.50   48.77   24.39       0    20.10   52.17   "
          "26.08       0\n"
          "# Out of bounds values : 0 OK\n"
          "# Avg bus bandwidth    : 25.2\n",
      "clean.log");
  ASSERT_EQ(read.runs.size(), 1u);
  const polyrail::Run& run = read.runs[0];
  EXPECT_EQ(run.collective, nccl::Collective::kAllGather);
  EXPECT_EQ(run.ranks, 2u);
  EXPECT_EQ(run.nodes, 2u);
  EXPECT_EQ(run.ncclVersion, "2.29.2");
  EXPECT_EQ(run.gpu, "Some GPU 80GB");
  EXPECT_EQ(run.settings.iterations, 50);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.problems, std::vector<std::string>{});
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].sizeBytes, 1048576u);
  EXPECT_DOUBLE_EQ(run.rows[0].outOfPlace->timeUs, 21.50);
  EXPECT_DOUBLE_EQ(run.rows[0].inPlace->busBw, 26.08);
  EXPECT_EQ(run.rows[0].line, 11u);
}

// NCCL 2.24 and later print the bytes of one rank for AllGather.
TEST(Reader, RowTornByLogLinesOfAHostThatBeginsWithDigits) {
  const CollectedRuns read = collectRunsFromText(
      std::string(kHeader) +
          "3boxa:7001:7001 [0] NCCL INFO Using network Socket\n"
          "     1048576        131072     float    none      -13boxa:7001:7001 [0] NCCL INFO AllGather: 524288 Bytes "
          "-> Algo RING proto LL128 channel{Lo..Hi}={0..7}\n"
          "3boxa:7001:7001 [0] NCCL INFO AllGather: 524288 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}\n"
          "    21.50   48.77   24.39       03boxa:7001:7001 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n"
          "    20.10   52.17   26.08       0\n",
      "torn.log");
  ASSERT_EQ(read.runs.size(), 1u);
  ASSERT_EQ(read.runs[0].rows.size(), 1u);
  EXPECT_EQ(read.runs[0].rows[0].root, -1);
  EXPECT_EQ(read.runs[0].rows[0].outOfPlace->wrong, 0.0);
  EXPECT_EQ(read.runs[0].rows[0].inPlace->timeUs, 20.10);
  ASSERT_EQ(read.runs[0].choices.size(), 1u);
  EXPECT_EQ(read.runs[0].choices[0].totalBytes, 1048576u);
  EXPECT_EQ(read.runs[0].choices[0].channels, 8);
  EXPECT_EQ(read.runs[0].choices[0].lines, 2u);
}

TEST(Reader, NothingInIt) {
  EXPECT_EQ(collectRunsFromText("", "empty").summary.reason, "the file is empty");
  const CollectedRuns read = collectRunsFromText("srun: error: node7: task 3: Killed\n", "failed");
  EXPECT_TRUE(read.runs.empty());
  EXPECT_EQ(read.summary.reason, "no rows: srun: error: node7: task 3: Killed");
}

}  // namespace
}  // namespace polyrail
