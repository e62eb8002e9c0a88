// SPDX-License-Identifier: Apache-2.0
#include "net/verbs/load.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "net/verbs/mlx5.h"

namespace polyrail::net {
namespace {

std::string emulator() {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : ".") + "/emu/libibverbs.so.1";
}

TEST(LoadVerbs, NamesALibraryThatIsNotThereAndTheRemedy) {
  const Result<VerbsLibrary> library = loadVerbs("libno-such-verbs.so.1");
  ASSERT_FALSE(library.ok());
  EXPECT_NE(library.message().find("libno-such-verbs.so.1"), std::string::npos) << library.message();
  EXPECT_NE(library.message().find("NCCL_IBVERBS_LIB"), std::string::npos) << library.message();
}

TEST(LoadVerbs, NamesTheSymbolThatIsMissing) {
  const Result<VerbsLibrary> library = loadVerbs("libc.so.6");
  ASSERT_FALSE(library.ok());
  EXPECT_NE(library.message().find("ibv_get_device_list"), std::string::npos) << library.message();
}

TEST(LoadVerbs, FillsEveryRequiredPointerFromAnyLibraryNamed) {
  Result<VerbsLibrary> library = loadVerbs(emulator());
  ASSERT_TRUE(library.ok()) << library.message();
  EXPECT_NE(library.value().verbs.createQp, nullptr);
  EXPECT_NE(library.value().verbs.wcStatusStr, nullptr);
  closeVerbs(library.value());
  EXPECT_EQ(library.value().handle, nullptr);
  EXPECT_EQ(library.value().verbs.createQp, nullptr);
}

TEST(LoadMlx5, SaysWhyItIsAbsent) {
  const Mlx5Library none = loadMlx5("libno-such-mlx5.so.1");
  EXPECT_NE(none.absent.find("libno-such-mlx5.so.1"), std::string::npos) << none.absent;
  EXPECT_FALSE(isMlx5(none.mlx5, nullptr));
  const Mlx5Library other = loadMlx5("libc.so.6");
  EXPECT_NE(other.absent.find("mlx5dv_is_supported"), std::string::npos) << other.absent;
  EXPECT_EQ(other.handle, nullptr);
}

TEST(LoadMlx5, TakesTheSystemsOwn) {
  Mlx5Library library = loadMlx5();
  if (!library.absent.empty()) GTEST_SKIP() << library.absent;
  EXPECT_NE(library.mlx5.isSupported, nullptr);
  closeMlx5(library);
  EXPECT_EQ(library.handle, nullptr);
}

}  // namespace
}  // namespace polyrail::net
