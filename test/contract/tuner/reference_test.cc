// SPDX-License-Identifier: Apache-2.0
// The host itself is tested on a reference plugin: a good one passes under every release, each planted defect is
// found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/contract/host/log_sink.h"
#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {
namespace {

std::string referencePlugin() { return std::string(getenv("POLYRAIL_BUILD")) + "/test/plugins/reference_tuner.so"; }

constexpr int kRing = static_cast<int>(nccl::Algorithm::kRing);
constexpr int kSimple = static_cast<int>(nccl::Protocol::kSimple);

class Reference : public testing::TestWithParam<NcclRelease> {
 protected:
  TunerHost load(int newestAbi = 99) {
    Result<TunerHost> host = TunerHost::load(referencePlugin(), GetParam(), sink_.function(), newestAbi);
    EXPECT_TRUE(host.ok()) << host.message();
    return std::move(host).value();
  }
  LogSink sink_;
};

std::string releaseName(const testing::TestParamInfo<NcclRelease>& info) {
  std::string name = info.param.name;
  name[1] = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Nccl, Reference, testing::ValuesIn(kNcclReleases), releaseName);

TEST_P(Reference, IsDrivenThroughTheNewestAbiThatTheReleaseKnows) {
  TunerHost host = load();
  EXPECT_EQ(host.abi(), GetParam().newestAbi);
  EXPECT_STREQ(host.name(), "reference");
}

TEST_P(Reference, ItsChoiceIsRunAndAllElseIsLeftAlone) {
  for (int abi = 2; abi <= GetParam().newestAbi; abi++) {
    TunerHost host = load(abi);
    Result<Communicator> comm = host.create({});
    ASSERT_TRUE(comm.ok());
    const Outcome chosen = host.ask(comm.value(), {.bytes = 64 << 20});
    EXPECT_THAT(chosen.faults, testing::IsEmpty());
    EXPECT_EQ(chosen.pick->algorithm, kRing);
    EXPECT_EQ(chosen.pick->protocol, kSimple);
    EXPECT_EQ(chosen.channels, 4);
    EXPECT_TRUE(host.ask(comm.value(), {.bytes = 1024}).untouched());
    EXPECT_EQ(host.destroy(comm.value()), nccl::Result::kSuccess);
  }
}

TEST_P(Reference, IsUnmappedByUnload) {
  TunerHost first = load(), second = load();
  first.unload();
  EXPECT_TRUE(isMapped(referencePlugin())) << "the second NCCL still holds it";
  second.unload();
  EXPECT_FALSE(isMapped(referencePlugin()));
}

TEST(ReferenceChunk, IsAskedPerChannelAndClamped) {
  Result<TunerHost> host = TunerHost::load(referencePlugin(), kNcclReleases[5], nullptr);
  ASSERT_TRUE(host.ok()) << host.message();
  Result<Communicator> comm = host.value().create({});
  const Outcome o = host.value().ask(comm.value(), {.bytes = 64 << 20});
  ASSERT_EQ(o.chunks.size(), 2u);
  EXPECT_EQ(o.chunks[0].slice.bytes, 16u << 20);
  EXPECT_EQ(o.chunks[0].slice.channels, 1);
  EXPECT_EQ(o.chunks[0].used, 64u << 10);
  host.value().destroy(comm.value());
}

}  // namespace
}  // namespace polyrail::contract
