// SPDX-License-Identifier: Apache-2.0
// The buffers that NCCL gives the net plugin: host and device memory, DMA-BUF, flushes, registered ones.
#include "test/vgpu/suite/expect.h"

using namespace polyrail::vgpu;

namespace {

std::vector<std::string> fastRails(size_t count) { return std::vector<std::string>(count, "0"); }

}  // namespace

TEST(NcclMemory, HostMemoryWithoutGpuDirect) {
  for (const char* collective : {"all_reduce", "sendrecv"}) {
    Job job(collective);
    job.on({.rates = fastRails(2), .gpuDirect = false}).options("-b 1K -e 4M -f 64");
    const Outcome outcome = job.run();
    expectRight(outcome);
    EXPECT_FALSE(outcome.says("GDRDMA")) << outcome.lines("via NET");
  }
}

TEST(NcclMemory, DmabufIsUsed) {
  const Outcome outcome = Job("all_gather").with("NCCL_PROTO", "Simple").options("-b 1M -e 1M").run();
  expectRight(outcome);
  EXPECT_TRUE(outcome.says("GPUDirect on: DMA-BUF")) << outcome.lines("GPUDirect");
  EXPECT_TRUE(outcome.says("DMA-BUF is available on GPU device 0")) << outcome.lines("DMA-BUF");
}

// NCCL asks for flushes on compute capability 8.0 and not on 9.0; each is a READ on every rail that has brought data.
TEST(NcclMemory, DataIsFlushedOnEveryRailThatBroughtIt) {
  const size_t rails = ncclVersion() >= 22300 ? 2 : 1;  // 2.22 cannot make one device of them, and then uses one
  for (const int capability : {80, 90}) {
    SCOPED_TRACE(capability);
    Job job("all_reduce");
    job.on({.rates = fastRails(rails), .capability = capability}).watched().with("NCCL_PROTO", "Simple");
    if (rails > 1) job.fused();
    const Outcome outcome = job.options("-b 16M -e 16M -n 2").run();
    expectRight(outcome);
    const bool flushes = capability == 80;
    EXPECT_EQ(outcome.count("mutant: 0 flushes") == 0, flushes) << outcome.lines("mutant");
    ASSERT_EQ(outcome.traffic().size(), 2 * rails) << outcome.lines("traffic");
    for (const RailTraffic& t : outcome.traffic()) {
      EXPECT_GT(t.bytes, 1u << 20) << outcome.lines("traffic");
      EXPECT_EQ(t.reads > 0, flushes) << outcome.lines("traffic");
    }
  }
}

TEST(NcclMemory, RegisteredBuffersGroupsSplitsAndGraphs) {
  for (const char* options : {"-R 1", "--memory nccl -R 1", "-m 4", "-G 1", "--memory host"}) {
    SCOPED_TRACE(options);
    expectRight(Job("all_gather").options("-b 64K -e 4M -f 64 " + std::string(options)).run());
  }
  Job split("all_reduce");
  expectRight(split.on({.nodes = 4}).options("--split 2 -b 64K -e 1M -f 16").run());
}
