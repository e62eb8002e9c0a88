// SPDX-License-Identifier: Apache-2.0
// Recorded machines in a folder each.
#include <gmock/gmock.h>

#include "cli/policy/machine.h"
#include "test/unit/temp_dir.h"

namespace polyrail {
namespace {

using ::testing::HasSubstr;

class Machine : public ::testing::Test {
 protected:
  void put(const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(dir_.file(path)).parent_path());
    dir_.write(path, content);
  }
  void gpu(const std::string& bus, const std::string& model) {
    put("proc/driver/nvidia/gpus/" + bus + "/information", "Model: \t\t " + model + "\nIRQ:   \t\t 16\n");
  }
  void nic(const std::string& name, const std::string& vendor, const std::string& device) {
    put("sys/class/infiniband/" + name + "/device/vendor", vendor + "\n");
    put("sys/class/infiniband/" + name + "/device/device", device + "\n");
  }
  std::vector<std::string> check(const Identity& id) {
    std::vector<std::string> out;
    for (const Finding& f : checkMachine(id, SysRoot::at(dir_.file(".")).value()))
      out.push_back(std::string(f.check) + ": " + f.message);
    return out;
  }

  test::TempDir dir_;
};

const Identity kH100 = {"", "H100", "ConnectX-7", "2.24.3", "2.30.7", "", {}};

TEST_F(Machine, Agrees) {
  gpu("0000:1a:00.0", "NVIDIA H100 80GB HBM3");
  nic("mlx5_0", "0x15b3", "0x1021");
  put("usr/lib64/libnccl.so.2.27.7", "");
  std::filesystem::create_symlink("libnccl.so.2.27.7", dir_.file("usr/lib64/libnccl.so.2"));
  EXPECT_EQ(check(kH100), std::vector<std::string>{});
}

TEST_F(Machine, OtherGpuAndNic) {
  gpu("0000:1a:00.0", "NVIDIA A100-SXM4-80GB");
  nic("mlx5_0", "0x15b3", "0x101b");
  const auto findings = check(kH100);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings[0],
              HasSubstr("identity-mismatch: learned on the GPU \"H100\", but this machine has NVIDIA A100"));
  EXPECT_THAT(findings[1],
              HasSubstr("identity-mismatch: learned on the NIC \"ConnectX-7\", but this machine has ConnectX-6"));
}

TEST_F(Machine, OneNicOfTheKindIsEnough) {
  nic("mlx5_0", "0x15b3", "0x1021");
  nic("mlx5_bond", "0x15b3", "0x101d");
  EXPECT_THAT(check(kH100)[0], HasSubstr("GPU not compared"));
  EXPECT_EQ(check(kH100).size(), 2u);
}

TEST_F(Machine, NothingHere) {
  const auto findings = check(kH100);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings[0], HasSubstr("identity-unchecked: GPU not compared: /proc/driver/nvidia/gpus is not here"));
  EXPECT_THAT(findings[1], HasSubstr("identity-unchecked: NIC not compared"));
  EXPECT_THAT(findings[2], HasSubstr("identity-unchecked: NCCL not compared"));
  EXPECT_EQ(check({}), std::vector<std::string>{});
}

TEST_F(Machine, NcclOutsideTheRangeIsANote) {
  put("usr/lib64/libnccl.so.2.18.5", "");
  std::filesystem::create_symlink("libnccl.so.2.18.5", dir_.file("usr/lib64/libnccl.so.2"));
  EXPECT_THAT(check(kH100)[2], HasSubstr("nccl-outside: this machine's NCCL is 2.18.5"));
}

TEST_F(Machine, SomeNcclsForgetTheNetPlugin) {
  const auto findings = [&](const std::string& version, const std::string& conf) {
    std::filesystem::remove(dir_.file("usr/lib64/libnccl.so.2"));
    put("usr/lib64/libnccl.so." + version, "");
    std::filesystem::create_symlink("libnccl.so." + version, dir_.file("usr/lib64/libnccl.so.2"));
    put("etc/nccl.conf", conf);
    return check({});
  };
  const std::string on = "# ours\nNCCL_NET_PLUGIN=polyrail\n";
  for (const char* version : {"2.28.3", "2.29.7"}) {
    ASSERT_EQ(findings(version, on).size(), 1u) << version;
    EXPECT_THAT(findings(version, on)[0],
                HasSubstr("net-plugin-forgotten: this machine's NCCL " + std::string(version) + " forgets"));
    EXPECT_EQ(findings(version, on + "NCCL_NET_PLUGIN_REF_COUNT=0\n").size(), 1u);
    EXPECT_TRUE(findings(version, on + "NCCL_NET_PLUGIN_REF_COUNT=1\n").empty());
    EXPECT_TRUE(findings(version, "NCCL_NET_PLUGIN=aws\n").empty());
    EXPECT_TRUE(findings(version, "# NCCL_NET_PLUGIN=polyrail\n").empty());
  }
  for (const char* version : {"2.27.7", "2.30.3"}) EXPECT_TRUE(findings(version, on).empty()) << version;
}

TEST_F(Machine, UnknownNicIsNamedByItsIds) {
  nic("x0", "0x1234", "0x5678");
  EXPECT_THAT(check(kH100)[1], HasSubstr("PCI 1234:5678"));
}

}  // namespace
}  // namespace polyrail
