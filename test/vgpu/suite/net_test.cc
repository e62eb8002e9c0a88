// SPDX-License-Identifier: Apache-2.0
// Real NCCL moves real collectives through the net plugin; every element of every rank is checked.
#include <gtest/gtest.h>

#include "test/vgpu/suite/job.h"

using namespace polyrail::vgpu;

namespace {

const char* const kCollectives[] = {"all_reduce",     "reduce",   "broadcast", "all_gather",
                                    "reduce_scatter", "alltoall", "sendrecv"};

void expectRight(const Outcome& outcome) {
  EXPECT_TRUE(outcome.right()) << outcome.lines("vgpu") << outcome.lines("WARN") << outcome.lines("float");
}

// NCCL asks for the newest ABI that both have; 2.22 says so only when it has to take an older one.
bool speaksNewestAbi(const Outcome& outcome) {
  if (ncclVersion() < 22300) return !outcome.says("Failed to find ncclNetPlugin_v8");
  return outcome.says(ncclVersion() >= 22800 ? "Loaded net plugin polyrail (v11)"
                                             : "Loaded net plugin polyrail (v10)");
}

}  // namespace

TEST(NcclNet, IsFoundAndSpokenToInTheNewestAbi) {
  const Outcome outcome = Job("all_reduce").options("-b 1K -e 1M -f 32").run();
  expectRight(outcome);
  EXPECT_EQ(outcome.times().size(), 3u);
  EXPECT_TRUE(speaksNewestAbi(outcome)) << outcome.lines("et plugin");
  EXPECT_TRUE(outcome.says("via NET/polyrail/0/GDRDMA")) << outcome.lines("via NET");
}

TEST(NcclNet, EveryCollectiveInEveryProtocol) {
  for (const char* collective : kCollectives) {
    for (const char* protocol : {"LL", "LL128", "Simple"}) {
      SCOPED_TRACE(std::string(collective) + " " + protocol);
      expectRight(Job(collective).with("NCCL_PROTO", protocol).options("-b 256 -e 1M -f 64").run());
    }
  }
}
