// SPDX-License-Identifier: Apache-2.0
// Real NCCL moves real collectives through the net plugin; every element of every rank is checked.
#include <cstdlib>
#include <fstream>
#include <regex>

#include "test/unit/emu-programs/process.h"
#include "test/vgpu/suite/expect.h"
#include "test/vgpu/suite/plugins.h"

using namespace polyrail::vgpu;
namespace emu = polyrail::emu;

namespace {

const char* const kCollectives[] = {"all_reduce",     "reduce",   "broadcast", "all_gather",
                                    "reduce_scatter", "alltoall", "sendrecv"};

std::vector<std::string> fastRails(size_t count) { return std::vector<std::string>(count, "0"); }

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

TEST(NcclNet, OlderAbisWorkWhenNewerOnesAreHidden) {
  std::vector<std::string> hidden;
  const int newest = ncclVersion() >= 22800 ? 11 : 8;
  for (int version = 12; version >= 7; --version) {
    hidden.push_back("ncclNetPlugin_v" + std::to_string(version));
    if (version > newest) continue;
    SCOPED_TRACE("without v" + std::to_string(version) + " and newer");
    Job job("all_reduce");
    const Outcome outcome =
        job.with("NCCL_NET_PLUGIN", without("libnccl-net-polyrail.so", hidden)).options("-b 1K -e 1M -f 32").run();
    expectRight(outcome);
    EXPECT_TRUE(outcome.says("polyrail (v" + std::to_string(version - 1) + ")")) << outcome.lines("et plugin");
    EXPECT_TRUE(outcome.says("via NET/polyrail/0")) << outcome.lines("via NET");
  }
}

TEST(NcclNet, EveryCollectiveInEveryProtocol) {
  for (const char* collective : kCollectives) {
    for (const char* protocol : {"LL", "LL128", "Simple"}) {
      SCOPED_TRACE(std::string(collective) + " " + protocol);
      expectRight(Job(collective).with("NCCL_PROTO", protocol).options("-b 256 -e 1M -f 64").run());
    }
  }
}

TEST(NcclNet, EveryTypeAndOperator) {
  for (const char* type :
       {"int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16"}) {
    for (const char* op : {"sum", "prod", "max", "min", "avg"}) {
      SCOPED_TRACE(std::string(type) + " " + op);
      expectRight(Job("all_reduce").options("-b 20K -e 20K -n 0 -d " + std::string(type) + " -o " + op).run());
    }
  }
}

TEST(NcclNet, OneToEightRailsApartAndFused) {
  for (const size_t rails : {1u, 2u, 3u, 8u}) {
    for (const bool fused : {false, true}) {
      if (fused && rails == 1) continue;
      if (fused && (ncclVersion() < 22300 || rails > 4)) continue;  // 2.22 cannot fuse; NCCL fuses four at most
      SCOPED_TRACE(std::to_string(rails) + (fused ? " rails, one device" : " rails"));
      Job job("all_reduce");
      job.on({.rates = fastRails(rails)}).options("-b 8 -e 8M -f 1024");
      if (fused) job.fused();
      const Outcome outcome = job.run();
      expectRight(outcome);
      EXPECT_TRUE(outcome.says("via NET/polyrail/" + std::to_string(fused ? rails : 0))) << outcome.lines("via NET");
    }
  }
}

TEST(NcclNet, TreesAndRingsOnManyRanks) {
  for (const char* algorithm : {"Ring", "Tree"}) {
    SCOPED_TRACE(algorithm);
    Job job("all_reduce");
    job.on({.nodes = 4, .gpus = 2, .rates = fastRails(2)}).with("NCCL_ALGO", algorithm);
    expectRight(job.options("-b 1K -e 1M -f 1024 -n 1").run());
  }
}

TEST(NcclNet, SixteenRanksOnSixteenNodes) {
  Job job("all_reduce");
  job.on({.nodes = 16}).with("NCCL_MAX_NCHANNELS", "2");
  expectRight(job.options("-b 64K -e 64K -n 1 --in-place 0").run());
}

TEST(NcclNet, RanksOfANodeAsThreads) {
  for (const char* collective : {"all_reduce", "all_gather", "alltoall"}) {
    SCOPED_TRACE(collective);
    Job job(collective);
    job.on({.nodes = 2, .gpus = 3, .rates = fastRails(2)}).options("--threads 1 -b 1K -e 1M -f 1024");
    expectRight(job.run());
  }
}

// NCCL reports an error at once; nothing hangs.
TEST(NcclNet, WhatTheInterpreterCannotRunIsRefusedAtLaunch) {
  if (ncclVersion() < 22400) GTEST_SKIP() << "NCCL before 2.24 has neither PAT for this nor fp8";
  Job pat("all_gather"), fp8("all_reduce");
  pat.with("NCCL_PAT_ENABLE", "1").with("NCCL_ALGO", "PAT").options("-b 1M -e 1M");
  fp8.on({.capability = 90}).options("-b 1M -e 1M -d fp8e4m3");  // NCCL itself refuses it on older GPUs
  for (const auto& [job, what] : {std::pair{pat, "AllGather PAT"}, std::pair{fp8, "f8e4m3"}}) {
    const Outcome outcome = job.run();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_FALSE(outcome.says("were still running"));
    const std::string refused = outcome.lines("vgpu: cannot run ");
    EXPECT_NE(refused.find(what), std::string::npos) << refused;
    EXPECT_TRUE(outcome.says("unhandled cuda error")) << outcome.lines("failure") << outcome.lines("vgpu: ");
  }
}

// Messages to ranks of another rail go through the GPU that sits at that rail (PXN): several in one grouped receive.
TEST(NcclNet, AllToAllThroughPxn) {
  Job job("alltoall");
  job.on({.nodes = 2, .gpus = 4, .rates = fastRails(4), .nvlinks = true}).watched();
  const Outcome outcome = job.options("-b 16K -e 4M -f 256").run();
  expectRight(outcome);
  EXPECT_TRUE(std::regex_search(outcome.text, std::regex("mutant: .* of [2-8]: "))) << outcome.lines("mutant");
  EXPECT_TRUE(outcome.says("via NET/polyrail/3(")) << outcome.lines("via NET");
}

// The driver prints what nccl-tests prints: `polyrail read` sees a test of two nodes with three rows.
TEST(NcclNet, TheCommandReadsTheTable) {
  const Outcome outcome = Job("all_reduce").options("-b 1K -e 1M -f 32").run();
  expectRight(outcome);
  const std::string file = ownFile("table.log");
  std::ofstream(file) << outcome.text;
  emu::Process read({std::string(getenv("POLYRAIL_BUILD")) + "/polyrail", "read", file}, {});
  EXPECT_EQ(read.wait(30), 0) << read.output();
  EXPECT_TRUE(std::regex_search(read.output(), std::regex("allreduce +2 +2 .* 3 +1 KiB .. 1 MiB"))) << read.output();
}

// The emulated NIC once slept for a second when a program stopped polling.
TEST(NcclNet, OneWayTrafficIsNotSlow) {
  const Outcome outcome = Job("broadcast").options("-b 64 -e 64 -n 20").run();
  expectRight(outcome);
  ASSERT_EQ(outcome.times().size(), 1u);
  EXPECT_LT(outcome.times()[0], 500'000) << "microseconds";  // far above what a busy machine makes of it
}
