// SPDX-License-Identifier: Apache-2.0
// `polyrail sweep` as a user runs it, on a benchmark that measures nothing (fake_perf).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "common/policy/policy_file.h"
#include "test/unit/temp_dir.h"

namespace polyrail::sweep {
namespace {

using Json = nlohmann::json;

struct Ran {
  int code = -1;
  std::string output;  // and errors
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

class SweepVerb : public ::testing::Test {
 protected:
  std::string calls() const { return folder_.file("calls"); }
  std::string sweepFolder() const { return folder_.file("sweep"); }

  // `before`: settings and what stands before the command, as `timeout 1`. The environment forces an algorithm, which
  // must not reach the benchmark.
  Ran sweep(const std::string& before, const std::string& words) const {
    const std::string top = std::getenv("POLYRAIL_TOP"), build = std::getenv("POLYRAIL_BUILD");
    const Json plan = {{"polyrail_sweep", 1},
                       {"layouts", {{{"nodes", 2}, {"ranks_per_node", 1}}}},
                       {"launcher", "env {env} {program} {args}"},
                       {"program", top + "/test/unit/sweep/fake_perf {test}"}};
    const std::string line = "export FAKE_CALLS=" + calls() + " NCCL_ALGO=tree; " + before + " " + build +
                             "/polyrail sweep " + folder_.write("plan.json", plan.dump()) + " --folder " +
                             sweepFolder() + " " + words + " 2>&1";
    std::FILE* pipe = ::popen(line.c_str(), "r");
    Ran ran;
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, n);
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
  }

  size_t callsOf(const std::string& arm) const {
    std::istringstream in(folder_.read("calls"));
    size_t count = 0;
    for (std::string line; std::getline(in, line);) count += arm.empty() || line == arm;
    return count;
  }

  std::vector<Json> journal() const {
    std::istringstream in(folder_.read("sweep/journal.jsonl"));
    std::vector<Json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  test::TempDir folder_;
};

Json reportOf(const Ran& ran) {
  const size_t at = ran.output.find("\n{");
  const size_t begin = ran.output.empty() || ran.output[0] == '{' ? 0 : at == std::string::npos ? at : at + 1;
  return begin == std::string::npos ? Json() : Json::parse(ran.output.substr(begin), nullptr, false);
}

TEST_F(SweepVerb, FindsTheBestOnPartOfTheGridLearnsItAndVerifiesIt) {
  const std::string policy = folder_.file("policy.json");
  const Ran ran = sweep("FAKE_POLICY=tree/ll", "--max 256K --json --learn " + policy + " --verify " + policy);
  ASSERT_EQ(ran.code, 0) << ran.output;
  const Json report = reportOf(ran);
  const Json& field = report["sweep"]["fields"][0];
  ASSERT_EQ(field["sizes"].size(), 9u);
  for (const Json& size : field["sizes"]) EXPECT_EQ(size["least"], "tree/ll") << size;
  EXPECT_LE(field["measured"].get<double>() / field["grid"].get<double>(), 0.4);
  EXPECT_LT(std::abs(field["drift"].get<double>()), 0.02);
  const Result<LoadedPolicy> learned = loadPolicyFile(policy);
  ASSERT_TRUE(learned.ok()) << learned.message();
  ASSERT_EQ(learned.value().policy.tables.size(), 1u);
  const Choice& choice = learned.value().policy.tables[0].rules.at(0).choices.at(0);
  EXPECT_EQ(choice.algorithm, nccl::Algorithm::kTree);
  EXPECT_EQ(choice.protocol, nccl::Protocol::kLl);
  for (const Json& size : report["verified"][0]["sizes"]) EXPECT_EQ(size["verdict"], "faster") << size;
}

TEST_F(SweepVerb, AKilledSweepGoesOnWhereItWas) {
  const std::string plan = "--max 1M --repeats 3 --json";
  EXPECT_NE(sweep("FAKE_SLEEP=0.1 timeout -s KILL 1", plan).code, 0);
  const size_t before = journal().size();
  ASSERT_GT(before, 2u);
  std::ofstream(folder_.file("sweep/journal.jsonl"), std::ios::app) << "{\"run\": \"cut in the mid";
  const Ran ran = sweep("", plan);
  ASSERT_EQ(ran.code, 0) << ran.output;
  const std::vector<Json> lines = journal();
  EXPECT_GE(reportOf(ran)["sweep"]["recalled"].get<size_t>(), before - 1);
  // All that was started has a line, but for the one in which it was killed.
  EXPECT_LE(callsOf(""), lines.size());
  EXPECT_GE(callsOf(""), lines.size() - 1);
  const Ran again = sweep("", plan);
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(journal().size(), lines.size()) << "there was nothing left to do";
}

TEST_F(SweepVerb, WhatHangsIsEndedRecordedAndGivenUp) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = sweep("FAKE_HANG=tree/ll", "--max 16K --repeats 3 --timeout 0.5 --json");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(callsOf("tree/ll"), 2u);
  EXPECT_LT(took.count(), 60);
  const Json field = reportOf(ran)["sweep"]["fields"][0];
  ASSERT_EQ(field["given_up"].size(), 1u);
  EXPECT_EQ(field["given_up"][0]["arm"], "tree/ll");
  EXPECT_EQ(field["given_up"][0]["reason"], "did not end within 0.5 s");
  EXPECT_EQ(field["sizes"][0]["least"], "tree/ll128");
}

TEST_F(SweepVerb, WhatFailsOrIsWrongOrCutIsGivenUpAndNotLearnedFrom) {
  const Ran ran = sweep("FAKE_FAIL=tree/ll FAKE_WRONG=tree/ll128 FAKE_CUT=ring/ll", "--max 16K --repeats 2 --json");
  ASSERT_EQ(ran.code, 0) << ran.output;
  std::map<std::string, std::string> reasons;
  const Json report = reportOf(ran);
  for (const Json& g : report["sweep"]["fields"][0]["given_up"]) reasons[g["arm"]] = g["reason"];
  EXPECT_NE(reasons["tree/ll"].find("exit status 3"), std::string::npos) << reasons["tree/ll"];
  EXPECT_NE(reasons["tree/ll"].find("invalid usage"), std::string::npos) << reasons["tree/ll"];
  EXPECT_NE(reasons["tree/ll128"].find("wrong results"), std::string::npos) << reasons["tree/ll128"];
  EXPECT_NE(reasons["ring/ll"].find("rows for"), std::string::npos) << reasons["ring/ll"];
  for (const auto& log : std::filesystem::directory_iterator(folder_.file("sweep/logs")))
    EXPECT_EQ(log.path().filename().string().find("tree-ll"), std::string::npos) << log.path();
}

TEST_F(SweepVerb, WithoutADefaultNothingIsFound) {
  const Ran ran = sweep("FAKE_FAIL=default/default", "--max 4K");
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(ran.says("NCCL's default failed (exit status 3")) << ran.output;
  EXPECT_EQ(callsOf(""), 2u);
  EXPECT_EQ(sweep("", "--max 4K --repeats 1").code, 4) << "another plan, the same folder";
  EXPECT_EQ(sweep("", "--max 4K").code, 0) << "what was wrong has been mended";
}

TEST_F(SweepVerb, ASlowerPolicyIsFound) {
  const std::string policy = folder_.write("p.json", R"({"polyrail_policy": 1, "tables": []})");
  const Ran slower = sweep("FAKE_POLICY=tree/simple", "--max 16K --json --verify " + policy);
  EXPECT_EQ(slower.code, 1) << slower.output;
  EXPECT_EQ(reportOf(slower)["verified"][0]["slower"], 5);
  EXPECT_EQ(callsOf(""), 10u) << "five of each, and no sweep";
}

TEST_F(SweepVerb, APolicyThatNoTunerReadsIsNotVerified) {
  const std::string policy = folder_.write("p.json", R"({"polyrail_policy": 1, "tables": []})");
  const Ran ran = sweep("", "--max 16K --verify " + policy);
  EXPECT_EQ(ran.code, 4) << ran.output;
  EXPECT_TRUE(ran.says("no line of polyrail's tuner names the policy")) << ran.output;
}

TEST_F(SweepVerb, OneSweepAFolder) {
  auto first = std::async(std::launch::async, [&] { return sweep("FAKE_SLEEP=0.2", "--max 4K --repeats 1"); });
  while (callsOf("") == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Ran second = sweep("", "--max 4K --repeats 1");
  EXPECT_EQ(second.code, 4);
  EXPECT_TRUE(second.says("another polyrail sweep is at work")) << second.output;
  EXPECT_EQ(first.get().code, 0);
}

TEST_F(SweepVerb, ADryRunShowsThePlanAndRunsNothing) {
  const Ran ran = sweep("", "--dry-run --channels 0,4 --env A=1 --env B=2 --collectives allreduce,allgather");
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_TRUE(ran.says("\"allgather\"") && ran.says(" A=1 B=2 NCCL_ALGO=tree NCCL_PROTO=ll ")) << ran.output;
  EXPECT_EQ(callsOf(""), 0u);
}

TEST_F(SweepVerb, ListsDoNotSwallowThePlan) {
  const std::string plan = folder_.write("other.json", R"({"polyrail_sweep": 1, "repeats": 77})");
  const std::string command = std::string(std::getenv("POLYRAIL_BUILD")) + "/polyrail sweep --dry-run --layouts 1x8 ";
  EXPECT_EQ(std::system((command + plan + " | grep -q '\"repeats\": 77'").c_str()), 0);
}

TEST_F(SweepVerb, WrongUsageSaysWhatIsRight) {
  const struct {
    const char *words, *says;
  } cases[] = {{"--launcher 'run {program}'", "{program} and {args}"},
               {"--launcher 'run {program} {args} {rank}'", "{rank} is none of"},
               {"--launcher local", "2x1 needs a launcher"},
               {"--algorithms rings", "no algorithm 'rings'"},
               {"--min lots", "'lots' is no size"},
               {"--env WORD", "not NAME=VALUE"},
               {"--factor 1", "factor: 1"}};
  for (const auto& c : cases) {
    const Ran ran = sweep("", c.words);
    EXPECT_EQ(ran.code, 2) << c.words;
    EXPECT_TRUE(ran.says(c.says)) << ran.output;
  }
  EXPECT_EQ(callsOf(""), 0u);
}

}  // namespace
}  // namespace polyrail::sweep
