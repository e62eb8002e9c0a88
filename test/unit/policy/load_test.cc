// SPDX-License-Identifier: Apache-2.0
// Files that are no policy: each gives one error, at once.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "common/policy/policy_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string errorOf(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const Result<LoadedPolicy> loaded = loadPolicyFile(path);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  if (loaded.ok()) return "(loaded)";
  EXPECT_THAT(loaded.message(), StartsWith(path + ":"));
  return loaded.message();
}

TEST(Load, GoodFileAndItsDigest) {
  const test::TempDir dir;
  const std::string text = "{\"polyrail_policy\": 1, \"name\": \"x\"}\n";
  const Result<LoadedPolicy> loaded = loadPolicyFile(dir.write("p.json", text));
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  EXPECT_EQ(loaded.value().policy.name, "x");
  EXPECT_EQ(loaded.value().digest, policyDigest(text));
  EXPECT_EQ(loaded.value().path, dir.file("p.json"));
}

TEST(Load, SymlinkIsFollowed) {
  const test::TempDir dir;
  dir.write("p.json", "{\"polyrail_policy\": 1}");
  ASSERT_EQ(symlink("p.json", dir.file("link").c_str()), 0);
  EXPECT_EQ(errorOf(dir.file("link")), "(loaded)");
  ASSERT_EQ(symlink("loop", dir.file("loop").c_str()), 0);
  EXPECT_THAT(errorOf(dir.file("loop")), HasSubstr("cannot open it"));
}

TEST(Load, Absent) {
  const test::TempDir dir;
  EXPECT_THAT(errorOf(dir.file("none")), HasSubstr("No such file"));
  EXPECT_THAT(errorOf(dir.write("f", "x") + "/below"), HasSubstr("Not a directory"));
  EXPECT_THAT(errorOf(""), HasSubstr("No such file"));
}

TEST(Load, NoRegularFile) {
  const test::TempDir dir;
  EXPECT_THAT(errorOf(dir.file(".")), HasSubstr("is a directory"));
  ASSERT_EQ(mkfifo(dir.file("fifo").c_str(), 0600), 0);
  EXPECT_THAT(errorOf(dir.file("fifo")), HasSubstr("is not a regular file"));
  EXPECT_THAT(errorOf("/dev/zero"), HasSubstr("is not a regular file"));
  EXPECT_THAT(errorOf("/dev/null"), HasSubstr("is not a regular file"));
}

TEST(Load, Socket) {
  const test::TempDir dir;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, dir.file("socket").c_str(), sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(errorOf(dir.file("socket")), HasSubstr("cannot open it"));
  close(fd);
}

TEST(Load, EmptyAndHuge) {
  const test::TempDir dir;
  EXPECT_THAT(errorOf(dir.write("empty", "")), HasSubstr("is empty"));
  const std::string sparse = dir.write("sparse", "");
  ASSERT_EQ(truncate(sparse.c_str(), off_t{1} << 30), 0);
  EXPECT_THAT(errorOf(sparse), HasSubstr("the limit is 16777216"));
  ASSERT_EQ(truncate(sparse.c_str(), 16 << 20), 0);
  EXPECT_THAT(errorOf(sparse), HasSubstr(":1: "));
}

// A file whose size says nothing, as in /proc: read to its end, not to st_size.
TEST(Load, SizeIsNotBelieved) { EXPECT_THAT(errorOf("/proc/self/status"), HasSubstr(":1: syntax error")); }

// Root may read everything, so it steps down for a moment.
TEST(Load, Unreadable) {
  const test::TempDir dir;
  const std::string path = dir.write("p.json", "{\"polyrail_policy\": 1}");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const uid_t self = geteuid();
  if (self == 0 && seteuid(65534) != 0) GTEST_SKIP() << "root here cannot become another user";
  const std::string error = errorOf(path);
  ASSERT_EQ(seteuid(self), 0);
  EXPECT_THAT(error, HasSubstr("Permission denied"));
}

TEST(Load, LeavesNoDescriptorBehind) {
  const test::TempDir dir;
  const int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(before);
  errorOf(dir.write("good", "{\"polyrail_policy\": 1}"));
  errorOf(dir.write("bad", "{"));
  errorOf(dir.file("."));
  const int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace polyrail
