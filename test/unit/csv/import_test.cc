// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/import.h"

#include <gmock/gmock.h>

#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

using nccl::Collective;
using ::testing::HasSubstr;

CsvImport imported(const std::string& text, bool uniform = false) {
  Result<CsvImport> done = importCsv(text, "t.csv", uniform);
  EXPECT_TRUE(done.ok()) << done.message();
  return done.ok() ? std::move(done).value() : CsvImport{};
}

// "LINE: text" of each remark.
std::vector<std::string> remarks(const std::string& text, bool uniform = false) {
  std::vector<std::string> out;
  for (const Remark& r : imported(text, uniform).remarks) out.push_back(std::to_string(r.line) + ": " + r.text);
  return out;
}

// "[from,to) algorithm/protocol[xchannels]..." of each rule.
std::vector<std::string> rules(const Table& table) {
  std::vector<std::string> out;
  for (const Rule& r : table.rules) {
    std::string line = "[" + std::to_string(r.from) + "," + (r.to == kNoLimit ? "" : std::to_string(r.to)) + ")";
    if (r.pipeOps) line += " ops" + std::to_string(r.pipeOps->min);
    if (r.regBuff) line += *r.regBuff ? " reg" : " unreg";
    for (const Choice& c : r.choices)
      line += " " + std::string(name(c.algorithm)) + "/" + std::string(name(c.protocol)) +
              (c.channels ? "x" + std::to_string(*c.channels) : "");
    out.push_back(line);
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(Import, ARow) {
  const CsvImport done = imported("allreduce,1024,65535,nvls_tree,simple,8,4,32\n");
  ASSERT_EQ(done.policy.tables.size(), 1u);
  const Table& table = done.policy.tables[0];
  EXPECT_EQ(table.collective, Collective::kAllReduce);
  EXPECT_EQ(table.layout, (Layout{{4, 4}, {8, 8}, {}, {}}));
  EXPECT_EQ(rules(table), Lines{"[1024,65536) nvlstree/simplex8"});
  EXPECT_EQ(done.remarks.size(), 0u);
  EXPECT_EQ(done.rows, 1u);
}

TEST(Import, Wildcards) {
  const CsvImport done = imported("reduce,0,10,ring,ll,-1,-1,-1,-1,-1\nreduce,0,10,ring,ll128,-1,2,-1\n");
  ASSERT_EQ(done.policy.tables.size(), 2u);
  EXPECT_EQ(done.policy.tables[0].layout.nodes, (Range{2, 2}));
  EXPECT_EQ(done.policy.tables[0].layout.ranksPerNode, Range{});
  EXPECT_EQ(rules(done.policy.tables[0]), Lines{"[0,11) ring/ll ring/ll128"});
  EXPECT_EQ(done.policy.tables[1].layout, Layout{});
  EXPECT_EQ(rules(done.policy.tables[1]), Lines{"[0,11) ring/ll"});
}

TEST(Import, CommentsHeadingsLineEndsAndMark) {
  const CsvImport done = imported(
      "\xEF\xBB\xBF# note\r\n\r\ncollective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\r\n"
      "  # another\n broadcast , 0,\t10 ,RING, Simple,-1,1,8\r\n");
  EXPECT_EQ(done.remarks.size(), 0u);
  ASSERT_EQ(done.policy.tables.size(), 1u);
  EXPECT_EQ(rules(done.policy.tables[0]), Lines{"[0,11) ring/simple"});
}

// The first row that holds decides; where NCCL does not allow it, the example tuner tries the next.
TEST(Import, FirstMatchAndThenTheNext) {
  const CsvImport done = imported(
      "allreduce,100,199,tree,ll,4,1,8\n"
      "allreduce,0,299,ring,ll,2,1,8\n"
      "allreduce,0,999,ring,simple,-1,1,8\n");
  ASSERT_EQ(done.policy.tables.size(), 1u);
  EXPECT_EQ(rules(done.policy.tables[0]),
            (Lines{"[0,100) ring/llx2 ring/simple", "[100,200) tree/llx4 ring/llx2 ring/simple",
                   "[200,300) ring/llx2 ring/simple", "[300,1000) ring/simple"}));
}

TEST(Import, ARowThatNeverDecidesChangesNothing) {
  const CsvImport done = imported("allreduce,0,999,ring,ll,-1,1,8\nallreduce,10,20,ring,ll,5,1,8\n");
  EXPECT_EQ(rules(done.policy.tables.at(0)), Lines{"[0,1000) ring/ll"});
}

TEST(Import, ConditionsNarrowFirst) {
  const CsvImport done = imported(
      "allreduce,0,99,ring,simple,-1,1,8\n"
      "allreduce,0,99,ring,ll,-1,1,8,2\n"
      "allreduce,0,99,tree,ll,-1,1,8,-1,1\n",
      true);
  EXPECT_TRUE(done.policy.options.uniformApplication);
  EXPECT_EQ(rules(done.policy.tables.at(0)),
            (Lines{"[0,100) ops2 reg ring/simple ring/ll tree/ll", "[0,100) ops2 ring/simple ring/ll",
                   "[0,100) reg ring/simple tree/ll", "[0,100) ring/simple"}));
}

TEST(Import, RegistrationNeedsAPromise) {
  const std::string text = "allreduce,0,65536,tree,simple,2,1,-1,-1,1\n";
  EXPECT_THAT(remarks(text).at(0), HasSubstr("1: looks at regBuff"));
  EXPECT_EQ(imported(text).policy.tables.size(), 0u);
  EXPECT_EQ(remarks(text, true), Lines{});
}

// 32 ranks: from total to per rank; what is no multiple of the ranks is rounded to what can be asked.
TEST(Import, SizesPerRank) {
  const CsvImport done = imported("allgather,33,4294967295,ring,simple,4,4,32\n");
  EXPECT_EQ(rules(done.policy.tables.at(0)), Lines{"[2,134217728) ring/simplex4"});
  EXPECT_THAT(remarks("allgather,33,63,ring,simple,4,4,32\n").at(0), HasSubstr("1: no size per rank with 32 ranks"));
}

TEST(Import, SizesPerRankWithoutRanks) {
  EXPECT_THAT(remarks("allgather,0,4294967295,ring,simple,4,2,-1\n").at(0),
              HasSubstr("1: allgather's sizes are per rank"));
  EXPECT_EQ(remarks("allgather,0,18446744073709551615,ring,simple,4,2,-1\n"), Lines{});
  // Where another row names the ranks, the general one can be divided too.
  const CsvImport done = imported("allgather,0,319,ring,ll,-1,2,16\nallgather,0,639,ring,simple,-1,-1,-1\n");
  EXPECT_EQ(rules(done.policy.tables.at(0)), (Lines{"[0,20) ring/ll ring/simple", "[20,40) ring/simple"}));
  EXPECT_EQ(done.remarks.size(), 1u);
}

TEST(Import, RanksOnAnyNodesBecomeEveryDivision) {
  const CsvImport done = imported("allreduce,0,9,ring,ll,-1,-1,6\n");
  ASSERT_EQ(done.policy.tables.size(), 4u);
  for (const Table& t : done.policy.tables) EXPECT_EQ(t.layout.nodes.min * t.layout.ranksPerNode.min, 6u);
}

TEST(Import, RowsThatCannotBe) {
  const std::pair<const char*, const char*> cases[] = {
      {"broadcast,0,32768,tree,simple,-1,1,-1,-1,0", "no kernel for broadcast with tree/simple"},
      {"allreduce,0,9,nvls,ll,-1,1,-1", "no kernel for allreduce with nvls/ll"},
      {"alltoall,0,9,ring,ll,-1,1,-1", "\"alltoall\" is no collective"},
      {"allreduce,0,9,rings,ll,-1,1,-1", "\"rings\" is no algorithm"},
      {"allreduce,0,9,ring,ll64,-1,1,-1", "\"ll64\" is no protocol"},
      {"allreduce,0,64K,ring,ll,-1,1,-1", "max \"64K\" is no whole number"},
      {"allreduce,-1,9,ring,ll,-1,1,-1", "min \"-1\" is no whole number"},
      {"allreduce,9,8,ring,ll,-1,1,-1", "min 9 is above max 8"},
      {"allreduce,0,18446744073709551616,ring,ll,-1,1,-1", "is no whole number"},
      {"allreduce,0,9,ring,ll,x,1,-1", "channels \"x\" is no whole number"},
      {"allreduce,0,9,ring,ll,-1,0,-1", "nNodes 0 matches nothing"},
      {"allreduce,0,9,ring,ll,-1,-2,-1", "nNodes -2 matches nothing"},
      {"allreduce,0,9,ring,ll,-1,3,8", "8 ranks on 3 nodes are uneven"},
      {"allreduce,0,9,ring,ll,-1,1,2000000", "more than 1000000 ranks"},
      {"allreduce,0,9,ring,ll,-1,1,8,-1,2", "regBuff 2 matches nothing"},
      {"allreduce,0,9,ring,ll,-1", "6 fields; a row has 8 to 10"},
      {"allreduce,0,9,ring,ll,-1,1,8,-1,0,7", "11 fields"},
      {"allreduce,,9,ring,ll,-1,1,8", "min \"\" is no whole number"},
  };
  for (const auto& [row, why] : cases) {
    const CsvImport done = imported(std::string("# one\n") + row + "\nreduce,0,1,ring,ll,-1,1,8\n", true);
    ASSERT_EQ(done.remarks.size(), 1u) << row;
    EXPECT_EQ(done.remarks[0].line, 2u) << row;
    EXPECT_THAT(done.remarks[0].text, HasSubstr(why)) << row;
    EXPECT_EQ(done.policy.tables.size(), 1u) << row;
  }
}

TEST(Import, Channels) {
  EXPECT_EQ(rules(imported("reduce,0,9,ring,ll,0,1,8\n").policy.tables.at(0)), Lines{"[0,10) ring/ll"});
  EXPECT_EQ(rules(imported("reduce,0,9,ring,ll,100,1,8\n").policy.tables.at(0)), Lines{"[0,10) ring/llx64"});
  EXPECT_THAT(remarks("reduce,0,9,ring,ll,100,1,8\n").at(0), HasSubstr("1: 100 channels"));
  EXPECT_THAT(remarks("reduce,0,9,ring,ll,-7,1,8\n").at(0), HasSubstr("NCCL's own number taken"));
}

TEST(Import, AFourthChoiceIsTooMany) {
  const std::string text =
      "allreduce,0,9,ring,ll,-1,1,8\nallreduce,0,9,tree,ll,-1,1,8\nallreduce,0,9,ring,simple,-1,1,8\n"
      "allreduce,0,9,tree,simple,-1,1,8\n";
  EXPECT_THAT(remarks(text).at(0), HasSubstr("4: is the fourth choice"));
}

TEST(Import, ManyConditions) {
  std::string text;
  for (int ops = 1; ops <= 40; ops++) text += "reduce,0,9,ring,ll,-1,1,8," + std::to_string(ops) + "\n";
  EXPECT_EQ(imported(text).policy.tables.at(0).rules.size(), 16u);
  EXPECT_THAT(remarks(text).at(0), HasSubstr("more than 16 conditions"));
}

TEST(Import, WhatIsNoText) {
  EXPECT_THAT(importCsv(std::string("a\0b", 3), "t.csv", false).message(), HasSubstr("t.csv: has a zero byte"));
  EXPECT_EQ(imported("").policy.tables.size(), 0u);
  EXPECT_EQ(remarks("\xff\xfe,garbage").at(0), "1: 2 fields; a row has 8 to 10");
}

TEST(Import, TooMuchIsRefusedInTime) {
  std::string rows, overlapping;
  for (int i = 0; i < 100'001; i++) rows += "reduce,0,1,ring,ll,-1,1,8\n";
  for (int i = 0; i < 20'000; i++)
    overlapping += "reduce," + std::to_string(i) + "," + std::to_string(100'000 - i) + ",ring,ll,-1,1,8\n";
  EXPECT_THAT(importCsv(rows, "t.csv", false).message(), HasSubstr("more than 100000 rows"));
  EXPECT_THAT(importCsv(overlapping, "t.csv", false).message(), HasSubstr("too many rows that overlap"));
}

}  // namespace
}  // namespace polyrail
