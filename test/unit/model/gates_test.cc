// SPDX-License-Identifier: Apache-2.0
// Which entries NCCL refuses, and that the reason is said in words.
#include "cli/model/gates.h"

#include <gtest/gtest.h>

#include "test/unit/model/tables.h"

namespace polyrail::nccl {
namespace {

TEST(Gates, TakeOutOfTheTableWhatNcclWouldNot) {
  const CostModel table = sixHoppers();
  GateContext x{6, 1, kReferenceVersion, "float", "max", {}, &table};
  const ModelCall call{kAr, 1 << 30, 1};
  CostTimes times = predictedTimes(table, kSix, call);
  applyGates(x, kAr, times);
  EXPECT_EQ(times[4][2], -1) << "NVLS has no maximum of floats";
  EXPECT_EQ(defaultChoice(table, kSix, call, times)->algorithm, Algorithm::kRing);
}

TEST(Gates, WeighLongRingsOfEightBitsDown) {
  CostModel table;
  put(table, kAr, Algorithm::kTree, Protocol::kLl, 50, 10);
  put(table, kAr, Algorithm::kRing, Protocol::kLl, 10, 50);
  GateContext x{16, 2, kReferenceVersion, "f8e4m3", "sum", {}, &table};
  const ModelShape shape{16, 2, 8};
  CostTimes times = predictedTimes(table, shape, {kAr, 1024, 1});
  applyGates(x, kAr, times);
  EXPECT_EQ(defaultChoice(table, shape, {kAr, 1024, 1}, times)->algorithm, Algorithm::kTree);
}

struct Refused {
  Collective c;
  Algorithm a;
  Protocol p;
  uint64_t ranks, nodes;
  const char* type;
  const char* redop;
  int version;
  Verdict verdict;
  const char* why;
};

TEST(Gates, SayWhy) {
  constexpr auto ag = Collective::kAllGather, rs = Collective::kReduceScatter, bc = Collective::kBroadcast;
  constexpr auto ll = Protocol::kLl, ll128 = Protocol::kLl128, simple = Protocol::kSimple;
  using A = Algorithm;
  const Refused cases[] = {
      {kAr, A::kRing, ll, 8, 1, "", "", 23007, Verdict::kAllowed, ""},
      {bc, A::kTree, ll, 8, 1, "", "", 23007, Verdict::kRefused, "no kernel"},
      {kAr, A::kNvls, ll, 8, 1, "", "", 23007, Verdict::kRefused, "no kernel"},
      {kAr, A::kNvlsTree, simple, 8, 1, "", "", 23007, Verdict::kRefused, "one node"},
      {kAr, A::kNvlsTree, simple, 16, 2, "", "", 23007, Verdict::kDepends, "NVSwitch"},
      {kAr, A::kNvls, simple, 16, 2, "half", "sum", 23007, Verdict::kDepends, "CollNet"},
      {kAr, A::kNvls, simple, 8, 1, "half", "prod", 23007, Verdict::kRefused, "cannot reduce"},
      {kAr, A::kNvls, simple, 8, 1, "int8", "sum", 23007, Verdict::kRefused, "cannot reduce"},
      {kAr, A::kNvls, simple, 8, 1, "half", "min", 23007, Verdict::kDepends, "NVSwitch"},
      {ag, A::kNvls, simple, 8, 1, "int8", "", 23007, Verdict::kDepends, "NVSwitch"},
      {ag, A::kNvls, simple, 72, 1, "", "", 23007, Verdict::kRefused, "32 ranks"},
      {ag, A::kNvls, simple, 16, 2, "", "", 22606, Verdict::kRefused, "2.27"},
      {kAr, A::kCollNetDirect, simple, 32, 2, "", "", 23007, Verdict::kRefused, "8 ranks"},
      {kAr, A::kCollNetDirect, simple, 16, 2, "", "", 23007, Verdict::kDepends, "CollNet plugin"},
      {kAr, A::kCollNetChain, simple, 32, 2, "", "", 22707, Verdict::kDepends, "CollNet plugin"},
      {ag, A::kPat, simple, 16, 2, "", "", 23007, Verdict::kRefused, "one rank a node"},
      {ag, A::kPat, simple, 16, 16, "", "", 23007, Verdict::kDepends, "one rank a node"},
      {rs, A::kPat, simple, 16, 16, "float", "avg", 23007, Verdict::kRefused, "average"},
      {ag, A::kPat, simple, 16, 16, "", "", 22203, Verdict::kRefused, "2.23"},
      {kAr, A::kRing, ll128, 16, 2, "", "", 23007, Verdict::kDepends, "LL128"},
  };
  for (const Refused& t : cases) {
    const GateAnswer answer = gate({t.ranks, t.nodes, t.version, t.type, t.redop, {}, nullptr}, t.c, t.a, t.p);
    const std::string what = std::string(name(t.c)) + " " + std::string(name(t.a)) + "/" + std::string(name(t.p));
    EXPECT_EQ(static_cast<int>(answer.verdict), static_cast<int>(t.verdict)) << what << ": " << answer.why;
    EXPECT_NE(answer.why.find(t.why), std::string::npos) << what << ": " << answer.why;
  }
}

TEST(Gates, FiltersAndTablesSpeakToo) {
  const CostModel table = sixHoppers();
  GateContext x{6, 1, kReferenceVersion, "", "", parseEnvFilter("allreduce:ring", "^ll").value(), &table};
  EXPECT_NE(gate(x, kAr, Algorithm::kTree, Protocol::kSimple).why.find("NCCL_ALGO"), std::string::npos);
  EXPECT_NE(gate(x, kAr, Algorithm::kRing, Protocol::kLl).why.find("NCCL_PROTO"), std::string::npos);
  EXPECT_EQ(gate(x, kAr, Algorithm::kRing, Protocol::kSimple).verdict, Verdict::kAllowed);
  x.filter = {};
  EXPECT_NE(gate(x, Collective::kReduce, Algorithm::kRing, Protocol::kLl128).why.find("cost table"),
            std::string::npos);
}

// A filter that lets LL128 through has switched NCCL's own check off.
TEST(Gates, AFilterForcesLl128) {
  const GateContext forced{16, 2, kReferenceVersion, "", "", parseEnvFilter("", "LL128").value(), nullptr};
  EXPECT_EQ(gate(forced, kAr, Algorithm::kRing, Protocol::kLl128).verdict, Verdict::kAllowed);
}

}  // namespace
}  // namespace polyrail::nccl
