// SPDX-License-Identifier: Apache-2.0
// The command's exit codes as docs/versioning.md promises them, each once, and a result that could not be written.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "test/unit/temp_dir.h"

namespace polyrail::test {
namespace {

int codeOf(const std::string& words) {
  const std::string line =
      "POLYRAIL_POLICY=none " + std::string(std::getenv("POLYRAIL_BUILD")) + "/polyrail " + words;
  const int status = std::system((line + " 2>/dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ExitCodes, AreThoseOfThePage) {
  TempDir folder;
  const std::string good = folder.write("good.json", "{\"polyrail_policy\": 1, \"tables\": []}");
  EXPECT_EQ(codeOf("policy show " + good + " >/dev/null"), 0);
  EXPECT_EQ(codeOf("policy show >/dev/null"), 1);
  EXPECT_EQ(codeOf("policy shew"), 2);
  EXPECT_EQ(codeOf("check --no-such-option " + good), 2);
  EXPECT_EQ(codeOf("check " + folder.write("bad.json", "{}")), 3);
  EXPECT_EQ(codeOf("policy install " + good + " --to " + folder.file("no/such/policy.json")), 4);
}

// Whoever redirects to a file on a full disk is told.
TEST(ExitCodes, AResultThatCannotBeWrittenIsAFailure) {
  TempDir folder;
  const std::string good = folder.write("good.json", "{\"polyrail_policy\": 1, \"tables\": []}");
  for (const std::string& words : {std::string("help"), std::string("--version"), std::string("env"), "check " + good,
                                   "policy show " + good, std::string("policy digest --node")})
    EXPECT_EQ(codeOf(words + " >/dev/full"), 4) << words;
}

}  // namespace
}  // namespace polyrail::test
