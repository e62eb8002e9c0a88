// SPDX-License-Identifier: Apache-2.0
// Real NCCL finds the tuner, asks it and does what the policy says: what ran is taken from the interpreter, which
// knows each batch's function, and from NCCL's log.
#include <fstream>
#include <set>
#include <sstream>

#include "test/vgpu/suite/expect.h"
#include "test/vgpu/suite/plugins.h"

using namespace polyrail::vgpu;

namespace {

// A policy of one rule: this choice for all sizes of the collective.
std::string policyFile(const std::string& collective, const std::string& algorithm, const std::string& protocol,
                       int channels) {
  const bool perRank = collective == "allgather" || collective == "reducescatter";
  std::ostringstream text;
  text << "{\"polyrail_policy\": 1, \"options\": {\"allgather_channels\": true}, \"tables\": [{\"collective\": \""
       << collective << "\", \"size\": \"" << (perRank ? "per_rank_bytes" : "total_bytes")
       << "\", \"rules\": [{\"from\": 0, \"to\": null, \"choices\": [{"
       << "\"algorithm\": \"" << algorithm << "\", \"protocol\": \"" << protocol << "\", \"channels\": " << channels
       << "}]}]}]}\n";
  const std::string path = ownFile(collective + "-" + algorithm + "-" + protocol + ".json");
  std::ofstream(path) << text.str();
  return path;
}

Job tuned(const std::string& program) {
  Job job(program);
  job.on({.nodes = 2, .gpus = 2, .rates = {"0", "0"}, .nvlinks = true});
  job.with("NCCL_TUNER_PLUGIN", "polyrail").options("-b 64 -e 1M -f 128");
  return job;
}

// What the channels ran: "AllReduce TREE LL" → so often.
std::set<std::string> whatRan(const Outcome& outcome) {
  std::set<std::string> found;
  std::istringstream in(outcome.text);
  for (std::string line; std::getline(in, line);) {
    const size_t at = line.find(" runs ");
    if (at == std::string::npos || line.find("vgpu: rank") == std::string::npos) continue;
    std::istringstream words(line.substr(at + 6));
    std::string collective, algorithm, protocol;
    words >> collective >> algorithm >> protocol;
    found.insert(collective + " " + algorithm + " " + protocol);
  }
  return found;
}

// NCCL's lines of choices, without what differs from run to run.
std::multiset<std::string> choices(const Outcome& outcome) {
  std::multiset<std::string> found;
  std::istringstream in(outcome.text);
  for (std::string line; std::getline(in, line);) {
    const size_t at = line.find(" Bytes -> Algo");
    if (at != std::string::npos)
      found.insert(line.substr(line.find("NCCL INFO") + 10, line.find(" time ") - line.find("NCCL INFO") - 10));
  }
  return found;
}

struct Choice {
  const char* program;
  const char* collective;
  const char* function;
  const char* algorithm;
  const char* protocol;
};
constexpr Choice kChoices[] = {
    {"all_reduce", "allreduce", "AllReduce", "ring", "ll"},
    {"all_reduce", "allreduce", "AllReduce", "ring", "simple"},
    {"all_reduce", "allreduce", "AllReduce", "tree", "ll"},
    {"all_reduce", "allreduce", "AllReduce", "tree", "simple"},
    {"all_gather", "allgather", "AllGather", "ring", "ll"},
    {"all_gather", "allgather", "AllGather", "ring", "simple"},
    {"reduce_scatter", "reducescatter", "ReduceScatter", "ring", "ll"},
    {"broadcast", "broadcast", "Broadcast", "ring", "simple"},
    {"reduce", "reduce", "Reduce", "ring", "ll"},
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(toupper(c));
  return text;
}

}  // namespace

TEST(NcclTuner, WhatRunsIsThePolicys) {
  for (const Choice& c : kChoices) {
    SCOPED_TRACE(std::string(c.program) + " " + c.algorithm + " " + c.protocol);
    Job job = tuned(c.program);
    job.with("POLYRAIL_POLICY", policyFile(c.collective, c.algorithm, c.protocol, 1));
    const Outcome outcome = job.run();
    expectRight(outcome);
    const std::set<std::string> wanted{std::string(c.function) + " " + upper(c.algorithm) + " " + upper(c.protocol)};
    EXPECT_EQ(whatRan(outcome), wanted);
    EXPECT_FALSE(outcome.says("channel 1 runs")) << "the policy allows one channel";
  }
}

TEST(NcclTuner, IsSpokenToInTheNewestAbi) {
  Job job = tuned("all_reduce");
  const Outcome outcome = job.with("POLYRAIL_POLICY", "none").run();
  expectRight(outcome);
  if (ncclVersion() < 22300) {
    EXPECT_FALSE(outcome.says("Failed to find ncclTunerPlugin_v3")) << outcome.lines("TUNER");
  } else {
    EXPECT_TRUE(outcome.says("TUNER/Plugin: Using polyrail (v5)")) << outcome.lines("TUNER");
  }
  EXPECT_TRUE(outcome.says("TUNER/polyrail")) << outcome.lines("olyrail");
}

TEST(NcclTuner, WithoutARuleOrWithABadFileNcclChoosesAsEver) {
  Job plain = tuned("all_reduce");
  const Outcome without = plain.with("NCCL_TUNER_PLUGIN", "none").run();
  expectRight(without);
  EXPECT_FALSE(choices(without).empty());
  Job idle = tuned("all_reduce");
  const Outcome noRule = idle.with("POLYRAIL_POLICY", policyFile("broadcast", "ring", "simple", 1)).run();
  expectRight(noRule);
  EXPECT_EQ(choices(noRule), choices(without));
  const std::string bad = ownFile("bad.json");
  std::ofstream(bad) << "{\"polyrail_policy\": 1, \"tables\": [{\"collective\": \"allreduce\"";
  Job broken = tuned("all_reduce");
  const Outcome badFile = broken.with("POLYRAIL_POLICY", bad).run();
  expectRight(badFile);
  EXPECT_EQ(choices(badFile), choices(without));
  EXPECT_TRUE(badFile.says("bad.json")) << badFile.lines("olyrail");
}

TEST(NcclTuner, OlderAbisWorkWhenNewerOnesAreHidden) {
  std::vector<std::string> hidden;
  for (int version = 6; version >= 3; --version) {
    hidden.push_back("ncclTunerPlugin_v" + std::to_string(version));
    if (ncclVersion() < 22300 && version > 3) continue;  // 2.22 knows v3 and v2
    SCOPED_TRACE("without v" + std::to_string(version) + " and newer");
    Job job = tuned("all_reduce");
    job.with("NCCL_TUNER_PLUGIN", without("libnccl-tuner-polyrail.so", hidden));
    const Outcome outcome = job.with("POLYRAIL_POLICY", policyFile("allreduce", "tree", "simple", 1)).run();
    expectRight(outcome);
    EXPECT_EQ(whatRan(outcome), std::set<std::string>{"AllReduce TREE SIMPLE"}) << outcome.lines("TUNER");
  }
}

TEST(NcclTuner, RunsOverNcclsOwnNet) {
  Job job = tuned("all_reduce");
  job.with("NCCL_NET_PLUGIN", "none").with("NCCL_NET", "Socket").with("NCCL_IB_DISABLE", "1");
  const Outcome outcome = job.with("POLYRAIL_POLICY", policyFile("allreduce", "tree", "simple", 1)).run();
  expectRight(outcome);
  EXPECT_EQ(whatRan(outcome), std::set<std::string>{"AllReduce TREE SIMPLE"}) << outcome.lines("TUNER");
  EXPECT_TRUE(outcome.says("via NET/Socket/")) << outcome.lines("via NET");
}
