// SPDX-License-Identifier: Apache-2.0
// `polyrail rails` itself: exit codes, text and JSON, on recorded trees, on the emulator and without any NIC.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "test/unit/net-device/situation.h"

namespace polyrail::net {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out;
};

std::string build() {
  const char* folder = std::getenv("POLYRAIL_BUILD");
  return folder ? folder : "build/release";
}

Ran run(const std::string& environment, const std::string& arguments) {
  const std::string line = environment + " " + build() + "/polyrail rails " + arguments + " 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) return {};
  Ran ran;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) ran.out.append(buffer, got);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

Situation twoPorts() {
  return {"",
          {{"nic", "mlx5_0", "0000:17:00.0"},
           {"port", "1", "Ethernet", "ACTIVE"},
           {"gid", "3", "::ffff:10.0.0.5", "v2", "eth2"},
           {"nic", "mlx5_1", "0000:18:00.0"},
           {"port", "1", "Ethernet", "DOWN"}}};
}

TEST(VerbRails, ShowsUsedAndRefusedPorts) {
  const BuiltSituation built(twoPorts());
  const Ran ran = run("NCCL_IB_SPLIT_DATA_ON_QPS=1 NCCL_IB_TIMEOUT=99", "--root " + built.folder());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("1 of 2 ports are rails"));
  EXPECT_THAT(ran.out, HasSubstr("::ffff:10.0.0.5"));
  EXPECT_THAT(ran.out, HasSubstr("mlx5_1:1: it is DOWN; bring its link up"));
  EXPECT_THAT(ran.out, HasSubstr("has no effect: NCCL_IB_SPLIT_DATA_ON_QPS"));
  EXPECT_THAT(ran.out, HasSubstr("NCCL_IB_TIMEOUT=99 is not a whole number from 0 to 31; using 20"));
}

TEST(VerbRails, SaysTheSameInJson) {
  const BuiltSituation built(twoPorts());
  const Ran ran = run("NCCL_IB_HCA=mlx5_0:1:2", "--json --root " + built.folder());
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ran.out;
  EXPECT_EQ(json["ports"][0]["name"], "mlx5_0:1");
  EXPECT_EQ(json["ports"][0]["gid"]["index"], 3);
  EXPECT_EQ(json["ports"][0]["rail"], 2);
  EXPECT_EQ(json["refused"][0]["reason"], "NCCL_IB_HCA=mlx5_0:1:2 leaves it out");
  EXPECT_EQ(json["settings"]["in_force"][0], "NCCL_IB_HCA=mlx5_0:1:2");
}

TEST(VerbRails, NoPortIsAFinding) {
  const BuiltSituation built({"", {}});
  EXPECT_EQ(run("", "--root " + built.folder()).code, 1);
  EXPECT_EQ(run("", "--root /nowhere/at/all").code, 3);
  EXPECT_EQ(run("", "--no-such-option").code, 2);
}

TEST(VerbRails, NoLibraryIsOneClearLine) {
  const Ran ran = run("NCCL_IBVERBS_LIB=libnowhere.so.9", "");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("polyrail rails: no verbs library: libnowhere.so.9"));
  EXPECT_THAT(ran.out, HasSubstr("install rdma-core"));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
}

TEST(VerbRails, SeesTheEmulatedNics) {
  const Ran ran = run("LD_LIBRARY_PATH=" + build() + "/emu", "--json");
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ran.out;
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(json["ports"].size(), 2u);
  EXPECT_EQ(json["ports"][0]["speed_mbps"], 100'000);
}

}  // namespace
}  // namespace polyrail::net
