// SPDX-License-Identifier: Apache-2.0
// The analytic model against cells worked out by hand.
#include "cli/model/cost_model.h"

#include <gtest/gtest.h>

#include "test/unit/model/tables.h"

namespace polyrail::nccl {
namespace {

Graph graph(int channels, float intra, float inter) {
  Graph g;
  g.channels = channels;
  g.intraGBs = intra;
  g.interGBs = inter;
  return g;
}

Machine hoppers(int ranks, int nodes) {
  Machine m;
  m.ranks = ranks;
  m.nodes = nodes;
  m.graphs.fill(graph(12, 30, 30));
  m.graphs[static_cast<size_t>(Algorithm::kNvls)] = graph(6, 50, 60);
  return m;
}

struct Cell {
  double latency, bandwidth;
};
Cell cell(const Machine& m, Collective c, Algorithm a, Protocol p) {
  const CostModel t = costModel(m);
  const auto i = static_cast<size_t>(c), j = static_cast<size_t>(a), k = static_cast<size_t>(p);
  return {t.latencyUs[i][j][k], t.bandwidthGBs[i][j][k]};
}

void expectCell(const Machine& m, Collective c, Algorithm a, Protocol p, double latency, double bandwidth) {
  const Cell got = cell(m, c, a, p);
  EXPECT_NEAR(got.latency, latency, 0.051) << name(c) << ' ' << name(a) << ' ' << name(p);
  EXPECT_NEAR(got.bandwidth, bandwidth, 0.051) << name(c) << ' ' << name(a) << ' ' << name(p);
}

TEST(CostModel, SixHoppersOnOneSwitch) {
  const CostModel expected = sixHoppers();
  const Machine m = hoppers(6, 1);
  const auto c = static_cast<size_t>(kAr);
  for (size_t a = 0; a < kNumAlgorithms; a++) {
    for (size_t p = 0; p < kNumProtocols; p++) {
      if (expected.bandwidthGBs[c][a][p] > 0)
        expectCell(m, kAr, static_cast<Algorithm>(a), static_cast<Protocol>(p), expected.latencyUs[c][a][p],
                   expected.bandwidthGBs[c][a][p]);
    }
  }
  expectCell(m, Collective::kAllGather, Algorithm::kNvls, Protocol::kSimple, 25, 50 * 5 * .85 * 5 / 6);
  expectCell(m, Collective::kBroadcast, Algorithm::kRing, Protocol::kSimple, 11.8, 360);
  expectCell(m, kAr, Algorithm::kNvlsTree, Protocol::kSimple, 25, 0);
}

// Two nodes of eight: rings cross twice each way; Simple posts to the NIC three times a step.
TEST(CostModel, TwoNodes) {
  Machine m = hoppers(16, 2);
  expectCell(m, kAr, Algorithm::kRing, Protocol::kSimple, 8.4 + 28 * 3.4 + 2 * 14, 360 * 16 / 30.);
  expectCell(m, kAr, Algorithm::kRing, Protocol::kLl, 6.6 + 28 * 1.0 + 2 * 2.7, 39 * 16 / 30.);
  expectCell(m, kAr, Algorithm::kTree, Protocol::kLl128, 14 + 2 * (7 * 1.25 + 8.5), 360 * .92 * 120 / 128 / 2);
  m.cpu = CpuVendor::kAmd;
  expectCell(m, kAr, Algorithm::kRing, Protocol::kSimple, 8.4 + 28 * 6.0 + 2 * 14, 360 * 16 / 30.);
  expectCell(m, kAr, Algorithm::kRing, Protocol::kLl, 6.6 + 28 * 2.0 + 2 * 2.7, 22.5 * 16 / 30.);
  EXPECT_EQ(cell(m, kAr, Algorithm::kNvls, Protocol::kSimple).bandwidth, 0) << "without CollNet";
}

// One rank a node: PAT is there, and the tree's network latency counts for the ring.
TEST(CostModel, OneRankANode) {
  const Machine m = hoppers(8, 8);
  expectCell(m, Collective::kAllGather, Algorithm::kPat, Protocol::kSimple, 8 + 3 * 14 / 3.5 + 8 * 2.8, 270);
  expectCell(m, Collective::kAllGather, Algorithm::kRing, Protocol::kLl, 6.6 + 7 * 5.0, 20.4 * 8 / 7);
  EXPECT_EQ(cell(hoppers(16, 8), Collective::kAllGather, Algorithm::kPat, Protocol::kSimple).bandwidth, 0);
}

TEST(CostModel, WithoutCollNetOrLl128TheirCellsAreEmpty) {
  Machine m = hoppers(8, 1);
  m.ll128 = false;
  EXPECT_EQ(cell(m, kAr, Algorithm::kRing, Protocol::kLl128).bandwidth, 0);
  EXPECT_EQ(cell(m, kAr, Algorithm::kCollNetDirect, Protocol::kSimple).bandwidth, 0);
  m.collNet = true;
  EXPECT_GT(cell(m, kAr, Algorithm::kCollNetDirect, Protocol::kSimple).bandwidth, 0);
}

TEST(CostModel, FollowsEditedConstants) {
  TunerConstantsV5 k = defaultConstants();
  k.baseLatencies[1][0] += 10;
  k.llMaxBws[2][0] = 50;
  const CostModel t = costModel(hoppers(6, 1), k);
  const auto c = static_cast<size_t>(kAr);
  EXPECT_NEAR(t.latencyUs[c][1][0], 22.6, 1e-3);
  EXPECT_NEAR(t.bandwidthGBs[c][1][0], 30, 1e-3);
}

}  // namespace
}  // namespace polyrail::nccl
