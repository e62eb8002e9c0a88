// SPDX-License-Identifier: Apache-2.0
// The command itself: exit codes and output.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/policy/policy_file.h"
#include "test/unit/lint/lint_cases.h"
#include "test/unit/temp_dir.h"

namespace polyrail::test {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int code = -1;
  std::string out;
};

Outcome run(const std::string& arguments) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  const std::string line = std::string(build ? build : "build/release") + "/polyrail check " + arguments + " 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) return {};
  Outcome outcome;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) outcome.out.append(buffer, got);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class VerbCheck : public ::testing::Test {
 protected:
  std::string write(const char* name, const Policy& policy) { return dir_.write(name, writePolicy(policy)); }
  TempDir dir_;
};

TEST_F(VerbCheck, ExitCodes) {
  const std::string root = " --root " + dir_.file(".") + " ";
  const std::string fine = write("fine.json", oneTable(Collective::kAllReduce, {ruleOf(0, 100, {ring()})}));
  const std::string unsafe =
      write("unsafe.json",
            oneTable(Collective::kAllReduce, {ruleOf(0, 100, {choiceOf(Algorithm::kRing, Protocol::kLl128)})}));
  EXPECT_EQ(run(root + fine).code, 0);
  EXPECT_EQ(run(root + unsafe).code, 1);
  EXPECT_EQ(run(root + dir_.write("bad.json", "{")).code, 3);
  EXPECT_EQ(run(root + dir_.file("none.json")).code, 3);
  EXPECT_EQ(run(root + fine + " " + unsafe + " " + dir_.file("none.json")).code, 3);
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("--root /nowhere/at/all " + fine).code, 3);
}

TEST_F(VerbCheck, SaysFileLineAndPlace) {
  const std::string path = write(
      "p.json", oneTable(Collective::kAllReduce, {ruleOf(0, 100, {choiceOf(Algorithm::kRing, Protocol::kLl128)})}));
  const Outcome outcome = run("--root " + dir_.file(".") + " --least warning " + path);
  EXPECT_THAT(outcome.out, HasSubstr(path + ":25: error: tables[0].rules[0].choices[0]: LL128 without"));
  EXPECT_THAT(outcome.out, HasSubstr("[unsafe-ll128]"));
  EXPECT_THAT(outcome.out, HasSubstr(path + ": 1 error, 1 warning, 0 notes; sha256 "));
}

TEST_F(VerbCheck, Json) {
  const std::string path = write("p.json", oneTable(Collective::kAllReduce, {ruleOf(0, 100, {ring()})}));
  const Outcome outcome = run("--json --root " + dir_.file(".") + " " + path + " " + dir_.file("none"));
  const nlohmann::json all = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["file"], path);
  EXPECT_EQ(all[0]["findings"][0]["severity"], "note");
  EXPECT_EQ(all[0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_THAT(all[1]["unusable"].get<std::string>(), HasSubstr("No such file"));
}

TEST_F(VerbCheck, HelpNamesTheExitCodes) { EXPECT_THAT(run("--help").out, HasSubstr("3 a file is no policy")); }

}  // namespace
}  // namespace polyrail::test
