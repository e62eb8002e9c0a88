// SPDX-License-Identifier: Apache-2.0
// The verbs as a user runs them; "nodes" are folders, reached by a launcher template.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/policy/policy_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::cli {
namespace {

struct Ran {
  int code = -1;
  std::string output;  // and errors
};

Ran polyrail(const std::string& words) {
  const std::string command = std::string(std::getenv("POLYRAIL_BUILD")) + "/polyrail";
  std::FILE* pipe = ::popen(("POLYRAIL_POLICY=none " + command + " " + words + " 2>&1").c_str(), "r");
  Ran ran;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, n);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

bool has(const Ran& ran, const std::string& text) { return ran.output.find(text) != std::string::npos; }

std::string policy(const std::string& name) {
  return R"({"polyrail_policy": 1, "name": ")" + name + R"(", "tables": []})";
}

TEST(PolicyVerb, InstallsShowsAndRestores) {
  test::TempDir folder;
  const std::string one = folder.write("one.json", policy("one")), two = folder.write("two.json", policy("two"));
  const std::string to = " --to " + folder.file("etc/policy.json");
  EXPECT_EQ(polyrail("policy install " + one + to).code, 0);
  EXPECT_EQ(polyrail("policy install " + two + to).code, 0);
  const Ran shown = polyrail("policy show --json " + folder.file("etc/policy.json"));
  ASSERT_EQ(shown.code, 0);
  const auto json = nlohmann::json::parse(shown.output);
  EXPECT_EQ(json["name"], "two");
  EXPECT_EQ(json["sha256"], policyDigest(policy("two")));
  EXPECT_EQ(json["previous"]["sha256"], policyDigest(policy("one")));
  EXPECT_EQ(polyrail("policy restore" + to).code, 0);
  EXPECT_EQ(folder.read("etc/policy.json"), policy("one"));
  const Ran digest = polyrail("policy digest " + folder.file("etc/policy.json"));
  EXPECT_TRUE(has(digest, policyDigest(policy("one")) + "  ")) << digest.output;
}

TEST(PolicyVerb, RefusesWhatIsNoPolicyAndKeepsTheOld) {
  test::TempDir folder;
  folder.write("policy.json", policy("old"));
  const Ran ran = polyrail("policy install " + folder.write("bad.json", "{\"polyrail_policy\": 2}") + " --to " +
                           folder.file("policy.json"));
  EXPECT_EQ(ran.code, 3) << ran.output;
  EXPECT_EQ(folder.read("policy.json"), policy("old"));
}

TEST(PolicyVerb, SaysWhenNoneIsInUse) { EXPECT_EQ(polyrail("policy show").code, 1); }

TEST(PolicyVerb, CompareRunsTheCommandOnEachNodeAndNamesTheOddOne) {
  test::TempDir folder;
  for (const char* node : {"n1", "n2", "n3"}) {
    folder.write(std::string(node) + "/policy.json", policy(node[1] == '2' ? "other" : "same"));
    folder.write(std::string(node) + "/libnccl-tuner-polyrail.so", "tuner");
    folder.write(std::string(node) + "/libnccl.so.2",
                 node[1] == '3' ? "NCCL version 2.27.3+cuda12.9" : "NCCL version 2.27.5+cuda12.9");
  }
  const std::string build = std::getenv("POLYRAIL_BUILD");
  const std::string launcher = " --launcher 'cd " + folder.file("{host}") + " && {command} --libraries .' --remote " +
                               build + "/polyrail --policy policy.json --hosts 'n[1-3]'";
  const Ran ran = polyrail("policy compare --json" + launcher);
  ASSERT_EQ(ran.code, 1) << ran.output;
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_EQ(json["policy"][1]["hosts"], nlohmann::json({"n2"}));
  EXPECT_EQ(json["nccl"][0]["value"], "2.27.5+cuda12.9");
  EXPECT_EQ(json["nccl"][1]["hosts"], nlohmann::json({"n3"}));
  EXPECT_EQ(json["tuner"].size(), 1u);
  folder.write("n2/policy.json", policy("same"));
  folder.write("n3/libnccl.so.2", "NCCL version 2.27.5+cuda12.9");
  const Ran alike = polyrail("policy compare" + launcher);
  EXPECT_EQ(alike.code, 0) << alike.output;
  EXPECT_EQ(polyrail("policy compare" + launcher + ",n4").code, 1);
}

TEST(PolicyVerb, CompareWantsNodesAndPlainWords) {
  EXPECT_EQ(polyrail("policy compare").code, 2);
  EXPECT_EQ(polyrail("policy compare --hosts 'a;b'").code, 2);
  EXPECT_EQ(polyrail("policy compare --hosts a --remote 'x; y'").code, 2);
}

}  // namespace
}  // namespace polyrail::cli
