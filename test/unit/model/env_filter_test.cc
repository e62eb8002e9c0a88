// SPDX-License-Identifier: Apache-2.0
// NCCL_ALGO and NCCL_PROTO: both grammars, what they leave, and what is wrong with a bad one.
#include "cli/model/env_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polyrail::nccl {
namespace {

using testing::HasSubstr;
using Gate = EnvFilter::Gate;

// Initials of the algorithms that are left: T R D C N n P.
std::string left(const EnvFilter& f, Collective c) {
  std::string out;
  for (int a = 0; a < kNumAlgorithms; a++)
    if (f.allows(c, static_cast<Algorithm>(a))) out += "TRDCNnP"[a];
  return out;
}

EnvFilter parsed(const std::string& algo, const std::string& proto = "", int version = kReferenceVersion) {
  const polyrail::Result<EnvFilter> filter = parseEnvFilter(algo, proto, version);
  EXPECT_TRUE(filter.ok()) << (filter.ok() ? "" : filter.message());
  return filter.ok() ? filter.value() : EnvFilter();
}

std::string problem(const std::string& algo, const std::string& proto = "") {
  const polyrail::Result<EnvFilter> filter = parseEnvFilter(algo, proto);
  return filter.ok() ? "" : filter.message();
}

TEST(EnvFilter, UnsetLeavesEverythingAndLl128ToNccl) {
  const EnvFilter f = parsed("");
  EXPECT_EQ(left(f, Collective::kAllReduce), "TRDCNnP");
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kLl128), Gate::kNcclDecides);
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kSimple), Gate::kOn);
}

TEST(EnvFilter, ListsPerCollectiveOverrideTheFirst) {
  const EnvFilter f = parsed("ring,CollNetDirect;allreduce:tree,collnetdirect;BROADCAST:Ring");
  EXPECT_EQ(left(f, Collective::kAllReduce), "TD");
  EXPECT_EQ(left(f, Collective::kBroadcast), "R");
  EXPECT_EQ(left(f, Collective::kReduceScatter), "RD");
}

TEST(EnvFilter, ACaretLeavesTheRest) {
  const EnvFilter f = parsed("^nvls,nvlstree", "^LL128;allreduce:LL128");
  EXPECT_EQ(left(f, Collective::kAllGather), "TRDCP");
  EXPECT_EQ(f.gate(Collective::kReduce, Protocol::kLl128), Gate::kOff);
  EXPECT_EQ(f.gate(Collective::kReduce, Protocol::kLl), Gate::kOn);
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kLl128), Gate::kOn);
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kSimple), Gate::kOff);
}

TEST(EnvFilter, AnyListTakesLl128OutOfNcclsHands) {
  const EnvFilter f = parsed("", "allreduce:^LL");
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kLl128), Gate::kOn);
  EXPECT_EQ(f.gate(Collective::kAllGather, Protocol::kLl128), Gate::kNcclDecides);
}

TEST(EnvFilter, SeparatorsRepeatAndEndFreely) {
  EXPECT_EQ(left(parsed("ring,,tree;;allreduce:nvls;"), Collective::kAllReduce), "N");
  EXPECT_EQ(left(parsed("ring,,tree;;allreduce:nvls;"), Collective::kAllGather), "TR");
  EXPECT_EQ(left(parsed("^"), Collective::kAllReduce), "TRDCNnP");
}

TEST(EnvFilter, ErrorsSayTheWordAndTheRemedy) {
  EXPECT_THAT(problem("rign"), HasSubstr("NCCL_ALGO=\"rign\": NCCL does not know \"rign\", did you mean 'ring'?"));
  EXPECT_THAT(problem("", "LL,Simpel"), HasSubstr("NCCL_PROTO=\"LL,Simpel\""));
  EXPECT_THAT(problem("all_reduce:ring"), HasSubstr("did you mean 'allreduce'?"));
  EXPECT_THAT(problem("ring;tree"), HasSubstr("as in allreduce:tree"));
  EXPECT_THAT(problem(";ring"), HasSubstr("only the first list may stand without"));
  EXPECT_THAT(problem("ring, tree"), HasSubstr("NCCL does not know \" tree\""));
  EXPECT_THAT(problem("allreduce:"), HasSubstr("NCCL does not know \"allreduce\""));
}

TEST(EnvFilter, Before224TheListIsFlatAndUnknownWordsAreSkipped) {
  const EnvFilter f = parsed("Ring,allreduce:tree", "^ll128", 22304);
  EXPECT_EQ(left(f, Collective::kAllReduce), "R");
  EXPECT_EQ(left(f, Collective::kBroadcast), "R");
  EXPECT_THAT(f.ignored, testing::ElementsAre("allreduce:tree in NCCL_ALGO"));
  EXPECT_EQ(f.gate(Collective::kAllReduce, Protocol::kLl128), Gate::kOff);
}

}  // namespace
}  // namespace polyrail::nccl
