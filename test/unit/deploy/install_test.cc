// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/install.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/policy/policy_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::cli {
namespace {

const std::string kOld = R"({"polyrail_policy": 1, "name": "old", "tables": []})";
const std::string kNew = R"({"polyrail_policy": 1, "name": "new", "tables": []})";

TEST(InstallPolicy, MakesTheFolderAndAFileForEveryUser) {
  test::TempDir folder;
  const mode_t before = ::umask(0077);
  const Result<Installed> done = installPolicy(folder.file("etc/policy.json"), kNew);
  ::umask(before);
  // The last folder only: a misspelt path must not make a tree.
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(folder.read("etc/policy.json"), kNew);
  EXPECT_EQ(done.value().digest, policyDigest(kNew));
  EXPECT_EQ(done.value().previousPath, "");
  struct stat info {};
  ASSERT_EQ(::stat((folder.file("etc/policy.json")).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
  EXPECT_FALSE(installPolicy(folder.file("no/such/policy.json"), kNew).ok());
}

TEST(InstallPolicy, KeepsWhatWasThere) {
  test::TempDir folder;
  const std::string path = folder.write("policy.json", kOld);
  const Result<Installed> done = installPolicy(path, kNew);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done.value().previousDigest, policyDigest(kOld));
  EXPECT_EQ(folder.read("policy.json.previous"), kOld);
  EXPECT_EQ(folder.read("policy.json"), kNew);
}

TEST(InstallPolicy, TheSameBytesAgainKeepTheOlderPrevious) {
  test::TempDir folder;
  const std::string path = folder.write("policy.json", kOld);
  ASSERT_TRUE(installPolicy(path, kNew).ok());
  const Result<Installed> again = installPolicy(path, kNew);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again.value().changed);
  EXPECT_EQ(folder.read("policy.json.previous"), kOld);
}

TEST(InstallPolicy, RefusesASymbolicLink) {
  test::TempDir folder;
  std::filesystem::create_symlink(folder.write("real.json", kOld), folder.file("policy.json"));
  const Result<Installed> done = installPolicy(folder.file("policy.json"), kNew);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.message().find("symbolic link to " + folder.file("real.json")), std::string::npos) << done.message();
  EXPECT_EQ(folder.read("real.json"), kOld);
}

TEST(RestorePolicy, ChangesPlacesSoThatASecondOneUndoesIt) {
  test::TempDir folder;
  const std::string path = folder.write("policy.json", kOld);
  ASSERT_TRUE(installPolicy(path, kNew).ok());
  ASSERT_TRUE(restorePolicy(path).ok());
  EXPECT_EQ(folder.read("policy.json"), kOld);
  EXPECT_EQ(folder.read("policy.json.previous"), kNew);
  ASSERT_TRUE(restorePolicy(path).ok());
  EXPECT_EQ(folder.read("policy.json"), kNew);
}

TEST(RestorePolicy, RefusesWhatIsNotThereOrNoPolicy) {
  test::TempDir folder;
  const std::string path = folder.write("policy.json", kNew);
  EXPECT_NE(restorePolicy(path).message().find("not there"), std::string::npos);
  folder.write("policy.json.previous", "{");
  EXPECT_FALSE(restorePolicy(path).ok());
  EXPECT_EQ(folder.read("policy.json"), kNew);
}

}  // namespace
}  // namespace polyrail::cli
