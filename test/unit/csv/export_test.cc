// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/export.h"

#include <gtest/gtest.h>

#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

std::vector<std::string> rowsOf(const std::string& csv) {
  std::vector<std::string> out;
  for (size_t at = 0; at < csv.size();) {
    const size_t end = csv.find('\n', at);
    if (csv[at] != '#') out.push_back(csv.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Choice ring(std::optional<int> channels = {}) { return {Algorithm::kRing, Protocol::kSimple, channels, {}, {}}; }

Policy policyOf(Collective c, Layout layout, std::vector<Rule> rules) {
  Policy p;
  p.tables.push_back({c, layout, {}, rules});
  return p;
}

const Layout kFour = {{4, 4}, {8, 8}, {}, {}};
using Lines = std::vector<std::string>;

TEST(Export, Rows) {
  const Choice multicast = {Algorithm::kNvlsTree, Protocol::kSimple, {}, {}, {}};
  const Policy p =
      policyOf(Collective::kAllReduce, kFour,
               {{0, 65536, {}, {}, {multicast, ring(4)}, {}}, {65536, kNoLimit, Range{2, 2}, {}, {ring()}, {}}});
  const CsvExport done = exportCsv(p);
  EXPECT_EQ(rowsOf(done.text),
            (Lines{"allreduce,0,65535,nvls_tree,simple,-1,4,32", "allreduce,0,65535,ring,simple,4,4,32",
                   "allreduce,65536,18446744073709551615,ring,simple,-1,4,32,2"}));
  EXPECT_EQ(done.remarks.size(), 0u);
  EXPECT_EQ(done.rows, 3u);
}

TEST(Export, PerRankToTotal) {
  const Policy p = policyOf(Collective::kAllGather, kFour, {{2, 4, {}, {}, {ring()}, {}}});
  EXPECT_EQ(rowsOf(exportCsv(p).text), Lines{"allgather,64,127,ring,simple,-1,4,32"});
}

TEST(Export, RangesBecomeRows) {
  const Policy p = policyOf(Collective::kReduce, {{1, 2}, {4, 5}, {}, {}}, {{0, 9, Range{1, 2}, {}, {ring()}, {}}});
  EXPECT_EQ(exportCsv(p).rows, 8u);
  EXPECT_EQ(exportCsv(p).remarks.size(), 0u);
}

TEST(Export, ChannelsStayInThePool) {
  Policy p = policyOf(Collective::kReduce, kFour, {{0, 9, {}, {}, {ring(33)}, {}}});
  p.tables[0].maxChannels = 16;
  EXPECT_EQ(rowsOf(exportCsv(p).text), Lines{"reduce,0,8,ring,simple,16,4,32"});
}

void expectRemark(const Policy& p, const char* text, bool lost = true) {
  for (const Remark& r : exportCsv(p).remarks)
    if (r.text.find(text) != std::string::npos) {
      EXPECT_EQ(r.lost, lost) << text;
      return;
    }
  ADD_FAILURE() << "no remark says: " << text;
}

TEST(Export, WhatItCannotSay) {
  const std::vector<Rule> all = {{0, kNoLimit, {}, {}, {ring()}, {}}}, some = {{0, 9, {}, {}, {ring()}, {}}};
  expectRemark(policyOf(Collective::kReduce, {{2, kNoLimit}, {8, 8}, {}, {}}, some),
               "tables[0]: its layout cannot be said");
  expectRemark(policyOf(Collective::kReduce, {{4, 4}, {8, 8}, Range{1, 1}, {}}, some), "its layout cannot be said");
  expectRemark(policyOf(Collective::kAllGather, {}, some), "tables[0].rules[0]: its sizes are per rank");
  EXPECT_EQ(exportCsv(policyOf(Collective::kAllGather, {}, all)).remarks.size(), 0u);
  expectRemark(policyOf(Collective::kReduce, kFour, {{0, 9, Range{2, kNoLimit}, {}, {ring()}, {}}}),
               "range of pipe_ops");
  Choice chunked = ring(4);
  chunked.chunkBytes = 512;
  chunked.time = TimeModel{1, 1};
  const Policy p = policyOf(Collective::kReduce, kFour, {{0, 9, {}, {}, {chunked}, Evidence{}}});
  expectRemark(p, "chunk_bytes of 1 choices left out");
  expectRemark(p, "predicted times of 1 choices left out", false);
  expectRemark(p, "evidence of 1 rules left out", false);
}

TEST(Export, LaterRowsThatTakeOver) {
  const Choice ll = {Algorithm::kRing, Protocol::kLl, {}, {}, {}};
  Policy p = policyOf(Collective::kReduce, kFour, {{0, 9, Range{1, 1}, {}, {ring()}, {}}, {0, 9, {}, {}, {ll}, {}}});
  expectRemark(p, "goes on to later rows");
  p.tables[0].rules[0].choices.push_back(ll);
  EXPECT_EQ(exportCsv(p).remarks.size(), 0u);
}

}  // namespace
}  // namespace polyrail
