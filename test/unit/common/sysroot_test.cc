// SPDX-License-Identifier: Apache-2.0
#include "common/sysroot.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace polyrail {
namespace {

namespace fs = std::filesystem;

class SysRootTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sysroot.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "sys/class/net");
    fs::create_directories(folder_ / "sys/devices/eth0");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* path, const std::string& text) { std::ofstream(folder_ / path) << text; }
  SysRoot root() { return SysRoot::at(folder_.string()).value(); }
  fs::path folder_;
};

TEST_F(SysRootTest, ReadsWithoutTheTrailingNewline) {
  write("sys/a", "mlx5_0\n");
  EXPECT_EQ(root().read("/sys/a"), "mlx5_0");
  EXPECT_EQ(root().read("/sys/none"), std::nullopt);
}

TEST_F(SysRootTest, RefusesRatherThanTruncates) {
  write("sys/big", std::string((64 << 10) + 1, 'x'));
  write("sys/fits", std::string(64 << 10, 'x'));
  EXPECT_FALSE(root().read("/sys/big"));
  EXPECT_EQ(root().read("/sys/fits")->size(), size_t{64} << 10);
}

TEST_F(SysRootTest, Numbers) {
  write("sys/n", "400000\n");
  write("sys/h", "0x15b3\n");
  write("sys/bad", "12 Gb/s\n");
  EXPECT_EQ(root().readNumber("/sys/n"), 400000u);
  EXPECT_EQ(root().readNumber("/sys/h"), 0x15b3u);
  EXPECT_FALSE(root().readNumber("/sys/bad"));
}

TEST_F(SysRootTest, LinksStayInside) {
  fs::create_symlink("../../devices/eth0", folder_ / "sys/class/net/eth0");
  fs::create_symlink("/etc", folder_ / "sys/class/net/out");
  EXPECT_EQ(root().realPath("/sys/class/net/eth0"), "/sys/devices/eth0");
  EXPECT_FALSE(root().realPath("/sys/class/net/out"));
  EXPECT_EQ(root().list("/sys/class/net"), (std::vector<std::string>{"eth0", "out"}));
}

TEST_F(SysRootTest, AFifoDoesNotHang) {
  ASSERT_EQ(mkfifo((folder_ / "sys/fifo").c_str(), 0600), 0);
  EXPECT_EQ(root().read("/sys/fifo").value_or(""), "");
}

TEST_F(SysRootTest, AMissingFolderIsAnError) {
  EXPECT_FALSE(SysRoot::at("/nonexistent/folder").ok());
  EXPECT_TRUE(SysRoot::live().isLive());
}

}  // namespace
}  // namespace polyrail
