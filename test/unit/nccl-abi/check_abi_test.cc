// SPDX-License-Identifier: Apache-2.0
// The program behind `make check-abi`, with small checkouts made here: one that agrees, one that does not, none.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

namespace {

namespace fs = std::filesystem;

// A checkout with one struct of each kind; `devs` is the length of an array that is 8 in reality.
constexpr char kHeaders[] = R"(
#include <stdint.h>
typedef enum { ncclSuccess = 0, ncclInvalidUsage = 5 } ncclResult_t;
#define NCCL_PTR_CUDA 0x2
typedef struct { int ndevs; int devs[DEVS]; } ncclNetVDeviceProps_v12_t;
typedef struct { int trafficClass; } ncclNetCommConfig_v12_t;
typedef struct { int anything; } ncclNet_v13_t;
)";

class CheckAbi : public testing::Test {
 protected:
  void SetUp() override {
    const char* top = std::getenv("POLYRAIL_TOP");
    if (!top) GTEST_SKIP() << "POLYRAIL_TOP is not set: run by make";
    script_ = std::string(top) + "/test/check-abi/check-abi";
    std::string pattern = (fs::temp_directory_path() / "check-abi-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }

  void makeCheckout(int devs) const {
    write("makefiles/version.mk", "NCCL_MAJOR   := 2\nNCCL_MINOR   := 99\nNCCL_PATCH   := 1\nNCCL_SUFFIX  :=\n");
    write("src/nccl.h.in",
          "#define NCCL_MAJOR ${nccl:Major}\n#define NCCL_MINOR ${nccl:Minor}\n#define NCCL_PATCH ${nccl:Patch}\n");
    write("src/include/nccl_common.h", "#define DEVS " + std::to_string(devs) + kHeaders);
    write("src/include/nccl_net.h", "");
    write("src/include/nccl_tuner.h", "");
  }

  // The script's whole output, OUT being relative as make gives it; the exit status goes to exit_.
  std::string run(const std::string& source) {
    const std::string command = "cd '" + folder_.string() + "' && '" + script_ + "' '" + source + "' out 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (std::array<char, 4096> piece{}; fgets(piece.data(), piece.size(), pipe);) text += piece.data();
    exit_ = WEXITSTATUS(pclose(pipe));
    return text;
  }

  std::string script_;
  fs::path folder_;
  int exit_ = -1;
};

TEST_F(CheckAbi, SaysWhatIsMissing) {
  EXPECT_NE(run("").find("make check-abi NCCL_SRC=DIR"), std::string::npos);
  EXPECT_EQ(exit_, 2);
  EXPECT_NE(run((folder_ / "nowhere").string()).find("is not a folder"), std::string::npos);
  EXPECT_EQ(exit_, 2);
  EXPECT_NE(run(folder_.string()).find("has no src/nccl.h.in"), std::string::npos);
  EXPECT_EQ(exit_, 2);
}

TEST_F(CheckAbi, AgreesWithWhatIsThere) {
  makeCheckout(8);
  const std::string text = run(folder_.string());
  EXPECT_EQ(exit_, 0) << text;
  EXPECT_NE(text.find("NCCL 2.99.1: 2 structs and callbacks, 3 members, 3 constants compared, 0 differences"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("this NCCL has ncclNet_v13_t, which polyrail does not speak yet"), std::string::npos) << text;
}

TEST_F(CheckAbi, FailsOnADifference) {
  makeCheckout(4);
  const std::string text = run(folder_.string());
  EXPECT_EQ(exit_, 1) << text;
  EXPECT_NE(text.find("NetVDevicePropsV12: size 36 in polyrail, 20 in NCCL"), std::string::npos) << text;
  EXPECT_NE(text.find("NetVDevicePropsV12.devs: shape [8]i4 in polyrail, [4]i4 in NCCL"), std::string::npos) << text;
}

}  // namespace
