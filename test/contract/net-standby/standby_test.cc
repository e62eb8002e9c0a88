// SPDX-License-Identifier: Apache-2.0
// The net plugin that ships, on two emulated NICs that nobody fused, in real time: the NIC of a connection dies
// wholly and comes back. With a standby the messages go on, without one the connection ends with an error.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "test/contract/host/child.h"
#include "test/contract/host/net_alone.h"
#include "test/contract/host/pair_traffic.h"

namespace polyrail::contract {
namespace {

using namespace std::chrono_literals;

constexpr size_t kSize = 256 << 10;

std::string built(const char* file) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : ".") + "/" + file;
}

// In a process of its own: a fault's time counts from its first verbs call.
std::string exchangeFor(std::chrono::milliseconds time, const char* standbys) {
  setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("EMU_SESSION", ("contract-net-standby-" + std::to_string(getpid())).c_str(), 1);
  setenv("POLYRAIL_NO_PATH_TIMEOUT", "500", 1);
  setenv("POLYRAIL_STANDBY", standbys, 1);
  const std::string script = testing::TempDir() + "/standby-" + std::to_string(getpid()) + ".json";
  std::ofstream(script) << R"({"faults": [{"at": "400ms", "do": "port_down", "target": "a/emu0", "for": "1200ms"}]})";
  setenv("EMU_FAULTS", script.c_str(), 1);
  Faults faults;
  {
    Alone alone({.plugin = built("libnccl-net-polyrail.so"), .abi = 12}, faults);
    NetPair pair(alone.host(), alone.context(), 0, 5s, faults);
    PairTraffic traffic(pair, Place::kHost, kSize);
    const auto end = std::chrono::steady_clock::now() + time;
    for (int tag = 0; std::chrono::steady_clock::now() < end && traffic.exchange(kSize, tag % 100, 5s); tag++)
      continue;
    traffic.deregister();
  }
  unlink(script.c_str());
  return faults.text();
}

TEST(NetStandby, ASiblingStandsInAndIsGivenBack) {
  const ChildResult child = runInFork([] { return exchangeFor(4s, "7"); }, 60s);
  EXPECT_TRUE(child.ok()) << child.output;
  EXPECT_EQ(child.output, "");
}

TEST(NetStandby, WithoutOneTheConnectionEnds) {
  const ChildResult child = runInFork([] { return exchangeFor(4s, "0"); }, 60s);
  EXPECT_NE(child.output, "");
}

}  // namespace
}  // namespace polyrail::contract
