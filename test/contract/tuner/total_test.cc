// SPDX-License-Identifier: Apache-2.0
// The tuner answers everything that can be asked: every size, collectives and group sizes beyond NCCL's, tables of
// other sizes, and communicators that no rule was written for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstring>

#include "test/contract/host/expectation.h"
#include "test/contract/host/generators.h"
#include "test/contract/tuner/plugin_under_test.h"

namespace polyrail::contract {
namespace {

// A rule for every collective and size, with channels, chunks and times.
Policy fullPolicy() {
  Policy policy;
  policy.options.allGatherChannels = true;
  for (int c = 0; c < nccl::kNumCollectives; c++) {
    Table table;
    table.collective = static_cast<nccl::Collective>(c);
    Rule rule;
    rule.choices.push_back({nccl::Algorithm::kRing, nccl::Protocol::kSimple, 8, 512 * 100, TimeModel{5, 100}});
    rule.choices.push_back({nccl::Algorithm::kRing, nccl::Protocol::kLl, 4, 16 * 100, TimeModel{5, 100}});
    table.rules.push_back(rule);
    policy.tables.push_back(table);
  }
  return policy;
}

std::vector<size_t> allSizes() {
  std::vector<size_t> sizes = {0, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1};
  for (int bits = 0; bits < 64; bits++)
    for (const size_t offset : {-1, 0, 1}) sizes.push_back((size_t{1} << bits) + offset);
  for (size_t bytes = 3; bytes < size_t{1} << 40; bytes += bytes / 7 + 1) sizes.push_back(bytes);
  return sizes;
}

class TunerTotal : public testing::TestWithParam<NcclRelease> {};
INSTANTIATE_TEST_SUITE_P(Nccl, TunerTotal, testing::ValuesIn(kNcclReleases), releaseName);

TEST_P(TunerTotal, EverySizeFromNothingToTheLargestIsAnswered) {
  const Policy policy = fullPolicy();
  PolicyInForce inForce(policy);
  TunerHost host = loadTuner(GetParam(), nullptr);
  Result<Communicator> comm = host.create({});
  for (int c = 0; c < nccl::kNumCollectives; c++)
    for (const size_t bytes : allSizes()) {
      const Call call{.collective = c, .bytes = bytes};
      const Outcome o = host.ask(comm.value(), call);
      ASSERT_THAT(o.faults, testing::IsEmpty()) << bytes;
      ASSERT_THAT(departures(policy, host, comm.value().shape, call, o), testing::IsEmpty()) << bytes;
      ASSERT_FALSE(o.untouched()) << bytes;
    }
  host.destroy(comm.value());
}

TEST_P(TunerTotal, UnknownCollectivesAndOddGroupsAreLeftAlone) {
  PolicyInForce inForce(fullPolicy());
  TunerHost host = loadTuner(GetParam(), nullptr);
  Result<Communicator> comm = host.create({});
  for (const int c : {INT_MIN, -1, 5, 6, 11, 20, 63, 64, 1000, INT_MAX})
    for (const int ops : {INT_MIN, -1, 0, 1, INT_MAX}) {
      const Outcome o = host.ask(comm.value(), {.collective = c, .bytes = 1 << 20, .pipeOps = ops});
      EXPECT_TRUE(o.untouched()) << c;
      EXPECT_THAT(o.faults, testing::IsEmpty()) << c;
    }
  host.destroy(comm.value());
}

TEST_P(TunerTotal, UnevenNodesMatchNoLayout) {
  PolicyInForce inForce(fullPolicy());
  TunerHost host = loadTuner(GetParam(), nullptr);
  CommShape shape;
  shape.ranks = 15;
  Result<Communicator> comm = host.create(shape);
  EXPECT_TRUE(host.ask(comm.value(), {.bytes = 1 << 20}).untouched());
  host.destroy(comm.value());
}

// NCCL's constants are writable during init; what the policy does not name stays as it is, bit for bit.
TEST_P(TunerTotal, ConstantsChangeExactlyWhereThePolicySays) {
  Policy policy;
  policy.constants = {
      {"baseLatencies", {1, 2, 0}, 7.5}, {"hwLatencies", {2, 1, 0}, 3.25}, {"llMaxBws", {3, 2, 0}, 66}};
  nccl::TunerConstantsV5 wanted = ncclConstants();
  if (GetParam().newestAbi >= 5) {
    wanted.baseLatencies[1][2] = 7.5;
    wanted.hwLatencies[2][1][0] = 3.25;
    wanted.llMaxBws[3][2] = 66;
  }
  PolicyInForce inForce(policy);
  TunerHost host = loadTuner(GetParam(), nullptr);
  Result<Communicator> comm = host.create({});
  EXPECT_EQ(std::memcmp(&comm.value().constants, &wanted, sizeof(wanted)), 0);
  host.destroy(comm.value());
}

// A table of another NCCL: fewer or more rows and columns than any so far. What lies behind it is not written.
TEST(TunerTotalTable, OtherSizesAreHonoured) {
  PolicyInForce inForce(fullPolicy());
  Result<Library> library = Library::open(tunerPlugin());
  const auto* tuner = library.value().find<nccl::TunerV6>("ncclTunerPlugin_v6");
  nccl::NvlDomainInfoV5 domains = {2, 8, 8};
  nccl::TunerConstantsV5 constants = ncclConstants();
  void* context = nullptr;
  ASSERT_EQ(tuner->init(&context, 1, 16, 2, nullptr, &domains, &constants), nccl::Result::kSuccess);
  for (int algorithms = 0; algorithms <= 9; algorithms++)
    for (int protocols = 0; protocols <= 5; protocols++) {
      std::vector<float> cells(100, 1.0f);
      int channels = 0;
      EXPECT_EQ(tuner->getCollInfo(context, 4, 1 << 20, 1, reinterpret_cast<float**>(cells.data()), algorithms,
                                   protocols, 0, &channels),
                nccl::Result::kSuccess);
      for (size_t i = static_cast<size_t>(algorithms * protocols); i < cells.size(); i++) ASSERT_EQ(cells[i], 1.0f);
      const bool hasRingLl = algorithms >= 2 && protocols >= 1;
      EXPECT_EQ(channels != 0, hasRingLl) << algorithms << "x" << protocols;
    }
  EXPECT_EQ(tuner->finalize(context), nccl::Result::kSuccess);
}

}  // namespace
}  // namespace polyrail::contract
