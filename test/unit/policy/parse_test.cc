// SPDX-License-Identifier: Apache-2.0
// What a good document means.
#include <gtest/gtest.h>

#include "common/policy/policy_file.h"
#include "test/unit/policy/documents.h"

namespace polyrail {
namespace {

using test::withChoice;
using test::withRule;

Policy parsed(const std::string& json) {
  Result<Policy> policy = parsePolicy(json, "p.json");
  EXPECT_TRUE(policy.ok()) << policy.message() << "\n" << json;
  return policy.ok() ? policy.value() : Policy{};
}

constexpr char kWhole[] = R"({
  "$schema": "policy.schema.json",
  "comment": "for people",
  "polyrail_policy": 1,
  "name": "p5en-2n",
  "identity": {"cluster": "blue", "gpu": "H200", "nic": "EFA", "nccl": {"min": "2.24.3", "max": "2.30.7"},
               "learned": "2026-11-30T12:00:00Z", "sources": ["a.log", "b.log"], "x-note": {"any": [1, "thing"]}},
  "options": {"uniform_application": true, "allgather_channels": true},
  "constants": [{"array": "hwLatencies", "index": [2, 1, 2], "value": 14.5},
                {"array": "llMaxBws", "index": [3, 0], "value": 87}],
  "tables": [{
    "collective": "allgather", "size": "per_rank_bytes", "max_channels": 32,
    "layout": {"nodes": [2, 4], "ranks_per_node": 8, "nvl_domains": [1, null], "ranks_per_nvl_domain": 16},
    "rules": [
      {"from": "1KiB", "to": "64 kib", "pipe_ops": [1, 2], "reg_buff": false,
       "choices": [{"algorithm": "ring", "protocol": "ll128", "channels": 8, "chunk_bytes": 19200,
                    "time": {"base_us": 12.5, "us_per_mib": 3}},
                   {"algorithm": "pat", "protocol": "simple"}],
       "evidence": {"gain": 0.12, "gain_ci": [0.05, 0.2], "confidence": 0.99, "minimum_detectable": 0.03,
                    "samples": 40, "candidates": 6, "wrong": 0, "ll128_default": true}}]
  }]})";

TEST(Parse, EveryField) {
  const Policy p = parsed(kWhole);
  EXPECT_EQ(p.name, "p5en-2n");
  EXPECT_EQ(p.identity.cluster, "blue");
  EXPECT_EQ(p.identity.ncclMax, "2.30.7");
  EXPECT_EQ(p.identity.learnedAt, "2026-11-30T12:00:00Z");
  EXPECT_EQ(p.identity.sources.size(), 2u);
  EXPECT_EQ(p.options, (Options{true, true}));
  ASSERT_EQ(p.constants.size(), 2u);
  EXPECT_EQ(p.constants[0], (ConstantOverride{"hwLatencies", {2, 1, 2}, 14.5}));
  EXPECT_EQ(p.constants[1], (ConstantOverride{"llMaxBws", {3, 0, 0}, 87}));
  ASSERT_EQ(p.tables.size(), 1u);
  EXPECT_EQ(p.tables[0].collective, nccl::Collective::kAllGather);
  EXPECT_EQ(p.tables[0].layout, (Layout{{2, 4}, {8, 8}, Range{1, kNoLimit}, Range{16, 16}}));
  EXPECT_EQ(p.tables[0].maxChannels, 32);
}

TEST(Parse, EveryFieldOfARule) {
  const Policy p = parsed(kWhole);
  ASSERT_EQ(p.tables.at(0).rules.size(), 1u);
  const Rule& rule = p.tables[0].rules[0];
  EXPECT_EQ(rule.from, 1024u);
  EXPECT_EQ(rule.to, 65536u);
  EXPECT_EQ(rule.pipeOps, (Range{1, 2}));
  EXPECT_EQ(rule.regBuff, false);
  ASSERT_EQ(rule.choices.size(), 2u);
  EXPECT_EQ(rule.choices[0], (Choice{nccl::Algorithm::kRing, nccl::Protocol::kLl128, 8, 19200, TimeModel{12.5, 3}}));
  EXPECT_EQ(rule.choices[1].algorithm, nccl::Algorithm::kPat);
  EXPECT_EQ(rule.evidence, (Evidence{0.12, 0.05, 0.2, 0.99, 0.03, 40, 6, 0, true}));
}

TEST(Parse, AbsentMeansAnyOrNccls) {
  const Policy p = parsed(withRule(""));
  const Table& table = p.tables.at(0);
  EXPECT_EQ(table.layout, Layout{});
  EXPECT_FALSE(table.maxChannels || table.rules.at(0).pipeOps || table.rules[0].regBuff || table.rules[0].evidence);
  EXPECT_EQ(table.rules[0].to, kNoLimit);
  EXPECT_FALSE(table.rules[0].choices.at(0).channels);
  EXPECT_EQ(parsed(R"({"polyrail_policy": 1})"), Policy{});
}

TEST(Parse, ByteOrderMarkAndCrlf) {
  std::string json = kWhole;
  const Policy plain = parsed(json);
  for (size_t at = 0; (at = json.find('\n', at)) != std::string::npos; at += 2) json.insert(at, "\r");
  EXPECT_EQ(parsed("\xEF\xBB\xBF" + json), plain);
}

TEST(Parse, WholeNumbersInAnyNotation) {
  EXPECT_EQ(parsed(withRule("", R"("from": 1e3, "to": 2048.0)")).tables.at(0).rules.at(0).from, 1000u);
  EXPECT_EQ(parsed(withRule("", R"("from": 0, "to": 18446744073709551614)")).tables.at(0).rules.at(0).to,
            18446744073709551614u);
  EXPECT_EQ(parsed(withRule("", R"("from": -0, "to": 9007199254740993)")).tables.at(0).rules.at(0).to,
            9007199254740993u);
}

TEST(Parse, SizesWithUnits) {
  const std::pair<const char*, uint64_t> cases[] = {{"7", 7},           {"7B", 7},       {"1K", 1024},
                                                    {"3 MiB", 3 << 20}, {"1g", 1 << 30}, {"2TiB", uint64_t{2} << 40}};
  for (const auto& [text, bytes] : cases)
    EXPECT_EQ(parsed(withRule("", std::string(R"("from": 0, "to": ")") + text + "\"")).tables.at(0).rules.at(0).to,
              bytes)
        << text;
}

TEST(Parse, RulesMayOverlapWhereConditionsDiffer) {
  const std::string choices = R"(, "choices": [{"algorithm": "ring", "protocol": "ll"}]})";
  const Policy p =
      parsed(test::withRules(R"({"from": 0, "to": 100, "pipe_ops": 1)" + choices + R"(, {"from": 0, "to": 50)" +
                             choices + R"(, {"from": 50, "to": null)" + choices));
  EXPECT_EQ(p.tables.at(0).rules.size(), 3u);
}

TEST(Parse, WrongMayBeNull) {
  const Policy p = parsed(withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0, 0.2], "wrong": null})"));
  EXPECT_FALSE(p.tables.at(0).rules.at(0).evidence->wrong);
}

}  // namespace
}  // namespace polyrail
