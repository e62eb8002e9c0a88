// SPDX-License-Identifier: Apache-2.0
// `polyrail import` and `polyrail export` as a user runs them.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/policy/policy_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Verbs : public ::testing::Test {
 protected:
  Outcome run(const std::string& arguments) {
    const char* build = std::getenv("POLYRAIL_BUILD");
    const std::string line = std::string(build ? build : "build/release") + "/polyrail " + arguments + " >" +
                             dir_.file("out") + " 2>" + dir_.file("err");
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text("out"), text("err")};
  }
  std::string text(const std::string& name) const {
    std::ifstream in(dir_.file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  test::TempDir dir_;
};

TEST_F(Verbs, ThereAndBack) {
  const std::string csv = dir_.write("rules.csv", "allreduce,0,65535,tree,ll,4,2,16\n");
  Outcome done = run("import " + csv + " -o " + dir_.file("p.json"));
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const Result<LoadedPolicy> loaded = loadPolicyFile(dir_.file("p.json"));
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  EXPECT_EQ(loaded.value().policy.name, "rules.csv");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("p.json.new")));

  done = run("export " + dir_.file("p.json"));
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\nallreduce,0,65535,tree,ll,4,2,16\n"));
  EXPECT_THAT(done.err, HasSubstr("p.json: note: name and identity left out"));
}

TEST_F(Verbs, WhatIsLeftOutIsToldByLine) {
  const std::string csv = dir_.write("rules.csv", "# x\nbroadcast,0,9,tree,ll,4,2,16\nreduce,0,9,ring,ll,4,2,16\n");
  Outcome done = run("import " + csv);
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr(csv + ":2: NCCL has no kernel for broadcast with tree/ll"));
  EXPECT_TRUE(parsePolicy(done.out, "out").ok());

  done = run("import --json -o " + dir_.file("p.json") + " " + csv);
  const nlohmann::json report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["rows"], 1);
  EXPECT_EQ(report["remarks"][0]["line"], 2);
}

TEST_F(Verbs, ExitCodes) {
  EXPECT_EQ(run("import " + dir_.file("none")).code, 3);
  EXPECT_EQ(run("export " + dir_.file("none")).code, 3);
  EXPECT_EQ(run("export " + dir_.write("bad", "{")).code, 3);
  EXPECT_EQ(run("import").code, 2);
  EXPECT_EQ(run("import --json x").code, 2);
  const std::string csv = dir_.write("rules.csv", "reduce,0,9,ring,ll,4,2,16\n");
  EXPECT_EQ(run("import " + csv + " -o " + dir_.file("no/such/folder")).code, 4);
  EXPECT_EQ(run("import " + csv + " -o /dev/full").code, 4);
}

}  // namespace
}  // namespace polyrail
