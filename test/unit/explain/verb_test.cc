// SPDX-License-Identifier: Apache-2.0
// `polyrail explain` as a user runs it: exit codes, the table for people, JSON, a log of NCCL.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/model/cost_model.h"
#include "common/policy/policy_file.h"
#include "test/unit/explain/fixtures.h"

namespace polyrail::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Ran {
  int code;
  std::string out;  // and standard error
};

// The cost table as rank 0 of NCCL 2.30 prints it, with lines that say the shape.
std::string ncclLog(const CostModel& t) {
  static constexpr const char* kNames[] = {"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};
  static constexpr const char* kAlgorithms[] = {"Tree",     "Ring", "CollNetDirect", "CollNetChain", "NVLS",
                                                "NVLSTree", "PAT"};
  const std::string prefix = "node1:100:101 [0] NCCL INFO ";
  std::string log = prefix + "NCCL version 2.29.2+cuda13.1\n" + prefix +
                    "comm 0x1 rank 0 nRanks 32 nNodes 4 localRanks 8 localRank 0 MNNVL 0\n";
  for (size_t block = 0; block < 3; block++) {
    const size_t end = std::min<size_t>(block * 3 + 3, 7);
    log += prefix + "  Algorithm   |";
    for (size_t a = block * 3; a < end; a++)
      log += fmt::format(" {:>14}   {:>14}   {:>14} |", "", kAlgorithms[a], "");
    log += "\n" + prefix + "  Protocol    |";
    for (int i = 0; i < 3; i++) log += fmt::format(" {:>14} | {:>14} | {:>14} |", "LL", "LL128", "Simple");
    log += "\n";
    for (size_t c = 0; c < 5; c++) {
      log += prefix + fmt::format("{:>13} |", kNames[c]);
      for (size_t a = block * 3; a < end; a++)
        for (size_t p = 0; p < 3; p++)
          log += fmt::format("{:8.1f}/{:6.1f} |", t.latencyUs[c][a][p], t.bandwidthGBs[c][a][p]);
      log += "\n";
    }
  }
  return log + prefix +
         "12 coll channels, 12 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per peer\n";
}

class ExplainVerb : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "polyrail-explain-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write("policy.json", writePolicy(demoPolicy()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  Ran run(const std::string& arguments) const {
    const char* build = std::getenv("POLYRAIL_BUILD");
    const std::string command = fmt::format("'{}/polyrail' explain {} 2>&1", build ? build : ".", arguments);
    std::FILE* pipe = popen(command.c_str(), "r");
    Ran ran{-1, ""};
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.out.append(buffer, n);
    const int status = pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
  }
  Ran ask(const std::string& more) const { return run(fmt::format("--policy '{}' {}", path("policy.json"), more)); }

  std::filesystem::path folder_;
};

TEST_F(ExplainVerb, PrintsTheChoiceItsRuleAndWhatRuns) {
  const Ran ran = ask("--collective all_reduce --bytes 128K --ranks 32 --nodes 4");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("Chosen    nvlstree/simple, 8 channels of 16 asked for; predicted 41.2 us"));
  EXPECT_THAT(ran.out, HasSubstr("Rule      tables[0].rules[0]: 64 KiB up to 1 MiB, for 2..16 nodes of 8 ranks"));
  EXPECT_THAT(ran.out, HasSubstr("Evidence  12.0 % less time"));
  EXPECT_THAT(ran.out, HasSubstr("2 tree/ll128"));
}

TEST_F(ExplainVerb, AMissIsAnAnswer) {
  const Ran ran = ask("--collective allgather --bytes 1M --ranks 32 --nodes 4");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("1 MiB (32 KiB a rank)"));
  EXPECT_THAT(ran.out, HasSubstr("Because   no table for allgather"));
}

TEST_F(ExplainVerb, ALogAnswersForTheMachine) {
  nccl::Machine m;
  m.ranks = 32;
  m.nodes = 4;
  m.graphs.fill(nccl::Graph{12, 30, 30});
  m.graphs[static_cast<size_t>(nccl::Algorithm::kNvlsTree)].channels = 0;
  write("nccl.log", ncclLog(costModel(m)));
  const Ran ran = ask(fmt::format("--collective allreduce --bytes 128K --log '{}'", path("nccl.log")));
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("32 ranks on 4 nodes, 1 in a group; NCCL 2.29.2 (tuner ABI v5)"));
  EXPECT_THAT(ran.out, HasSubstr("Chosen    tree/ll128"));
  EXPECT_THAT(ran.out, HasSubstr("NCCL      by itself: tree/"));
  EXPECT_THAT(ran.out, HasSubstr("refused: the log's cost table gives it no bandwidth"));
  EXPECT_THAT(ran.out, Not(HasSubstr("cost table is of a run")));
  const Ran other =
      ask(fmt::format("--collective allreduce --bytes 128K --ranks 16 --nodes 2 --log '{}'", path("nccl.log")));
  EXPECT_THAT(other.out, HasSubstr("the log's cost table is of a run on 32 ranks and 4 nodes"));
}

TEST_F(ExplainVerb, JsonHoldsTheSame) {
  const Ran ran = ask("--collective allreduce --bytes 128K --ranks 32 --nodes 4 --json");
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ran.out;
  EXPECT_EQ(json["outcome"], "decided");
  EXPECT_EQ(json["chosen"]["algorithm"], "nvlstree");
  EXPECT_EQ(json["chosen"]["channels"]["running"], 8);
  EXPECT_EQ(json["rule"]["from"], 65536);
  EXPECT_EQ(json["rule"]["evidence"]["samples"], 24);
  EXPECT_EQ(json["policy"]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(json["choices"].size(), 3u);
  EXPECT_EQ(json["nccl_default"], nullptr);
}

TEST_F(ExplainVerb, MistakesAreNamed) {
  const std::string call = "--collective allreduce --bytes 1M --ranks 32 --nodes 4";
  const std::pair<std::string, std::pair<int, const char*>> cases[] = {
      {"--collective alltoall --bytes 1M --ranks 8 --nodes 1", {2, "allreduce, allgather, reducescatter"}},
      {"--collective allreduce --bytes big --ranks 8 --nodes 1", {2, "--bytes big: not a size"}},
      {"--collective allreduce --bytes 1M", {2, "--ranks and --nodes are needed"}},
      {"--collective allreduce --bytes 1M --ranks 1 --nodes 1", {2, "one rank alone"}},
      {"--collective allreduce --bytes 1M --ranks 2 --nodes 3", {2, "3 nodes for 2 ranks"}},
      {call + " --nccl 2.x", {2, "not a version of NCCL"}},
      {call + " --nccl 2.18.5", {2, "no tuner interface"}},
      {call + " --algo rign", {2, "did you mean 'ring'"}},
      {call + " --pool 65", {2, "--pool"}},
      {call + " --type float32", {2, "--type"}},
      {call + " --log /nonexistent/log", {3, "/nonexistent/log"}},
  };
  for (const auto& [arguments, expected] : cases) {
    const Ran ran = ask(arguments);
    EXPECT_EQ(ran.code, expected.first) << arguments << "\n" << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(expected.second)) << arguments;
  }
}

TEST_F(ExplainVerb, BadFilesAreNamed) {
  const std::string call = " --collective allreduce --bytes 1M --ranks 32 --nodes 4";
  EXPECT_EQ(run("--policy '" + path("none.json") + "'" + call).code, 3);
  write("bad.json", "{");
  EXPECT_THAT(run("--policy '" + path("bad.json") + "'" + call).out, HasSubstr("bad.json:1"));
  write("quiet.log", "node1:1:1 [0] NCCL INFO nothing here\n");
  const Ran ran = ask(call + " --log '" + path("quiet.log") + "'");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING"));
}

TEST_F(ExplainVerb, HelpIsComplete) {
  const Ran ran = run("--help");
  EXPECT_EQ(ran.code, 0);
  for (const char* option : {"--policy", "--collective", "--bytes", "--nvl-domains", "--log", "--json", "Example:"})
    EXPECT_THAT(ran.out, HasSubstr(option));
}

}  // namespace
}  // namespace polyrail::cli
