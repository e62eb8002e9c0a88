// SPDX-License-Identifier: Apache-2.0
// Values of the right type that make no usable policy.
#include <gmock/gmock.h>

#include <cmath>

#include "common/policy/policy_file.h"
#include "test/unit/policy/documents.h"

namespace polyrail {
namespace {

using test::withChoice;
using test::withRule;
using test::withRules;
using test::withTables;
using ::testing::HasSubstr;

std::string errorOf(const std::string& json) {
  const Result<Policy> policy = parsePolicy(json, "p.json");
  return policy.ok() ? "(accepted)" : policy.message();
}

TEST(Validate, Intervals) {
  EXPECT_THAT(errorOf(withRule("", R"("from": 8, "to": 8)")), HasSubstr("must be above \"from\" (8)"));
  EXPECT_THAT(errorOf(withRule("", R"("from": 9, "to": 8)")), HasSubstr("must be above"));
  EXPECT_THAT(errorOf(withRule("", R"("from": 18446744073709551615, "to": null)")), HasSubstr("must be above"));
}

std::string rule(const char* sizes) {
  return std::string("{") + sizes + R"(, "choices": [{"algorithm": "ring", "protocol": "ll"}]})";
}

TEST(Validate, OrderAndOverlap) {
  EXPECT_THAT(errorOf(withRules(rule(R"("from": 8, "to": 16)") + "," + rule(R"("from": 0, "to": 8)"))),
              HasSubstr("rules[1]: rules must be sorted by \"from\"; move it before rules[0]"));
  EXPECT_THAT(errorOf(withRules(rule(R"("from": 0, "to": 9)") + "," + rule(R"("from": 8, "to": 16)"))),
              HasSubstr("rules[1]: overlaps rules[0]"));
  const std::string conditional = rule(R"("from": 0, "to": null, "pipe_ops": 2)");
  EXPECT_THAT(errorOf(withRules(conditional + "," + rule(R"("from": 4, "to": 5)") + "," +
                                rule(R"("from": 6, "to": 7, "pipe_ops": [2, 2])"))),
              HasSubstr("rules[2]: overlaps rules[0]"));
  EXPECT_EQ(errorOf(withRules(rule(R"("from": 0, "to": 8)") + "," + rule(R"("from": 8, "to": 16)"))), "(accepted)");
}

TEST(Validate, AtMostSixteenAlternates) {
  std::string rules;
  for (int i = 1; i <= 16; i++)
    rules += rule(("\"from\": 0, \"to\": null, \"pipe_ops\": " + std::to_string(i)).c_str()) + ",";
  EXPECT_THAT(errorOf(withRules(rules + rule(R"("from": 0, "to": 1)"))),
              HasSubstr("more than 16 rules hold for size 0"));
  rules.pop_back();
  EXPECT_EQ(errorOf(withRules(rules)), "(accepted)");
}

TEST(Validate, Combinations) {
  EXPECT_THAT(errorOf(withChoice(R"({"algorithm": "nvls", "protocol": "ll"})")),
              HasSubstr("choices[0]: NCCL has no kernel for allreduce with nvls/ll"));
  EXPECT_THAT(errorOf(withTables(R"({"collective": "broadcast", "size": "total_bytes", "rules": [)" +
                                 std::string(R"({"from": 0, "to": null, "choices": [{"algorithm": "tree",
                                  "protocol": "simple"}]}]})"))),
              HasSubstr("no kernel for broadcast with tree/simple"));
}

TEST(Validate, ChoicesChannelsChunks) {
  const std::string ring = R"({"algorithm": "ring", "protocol": "ll128")";
  EXPECT_THAT(errorOf(withChoice("")), HasSubstr("must have 1 to 3 entries"));
  EXPECT_THAT(errorOf(withChoice(ring + "}," + ring + "}," + ring + "}," + ring + "}")),
              HasSubstr("choices: has more than 3 entries"));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "channels": 0})")), HasSubstr("must be from 1 to 64"));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "channels": 65})")), HasSubstr("must be from 1 to 64"));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "chunk_bytes": 1920})")), HasSubstr("needs \"channels\""));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "channels": 2, "chunk_bytes": 0})")), HasSubstr("multiple of 1920"));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "channels": 2, "chunk_bytes": 2000})")), HasSubstr("multiple of 1920"));
  EXPECT_THAT(errorOf(withChoice(ring + R"(, "channels": 2, "chunk_bytes": 2147485440})")), HasSubstr("below 2 GiB"));
}

TEST(Validate, Times) {
  const std::string ring = R"({"algorithm": "ring", "protocol": "ll", "time": )";
  for (const char* base : {"0", "-1", "0.0001", "1e10"})
    EXPECT_THAT(errorOf(withChoice(ring + "{\"base_us\": " + base + ", \"us_per_mib\": 1}}")),
                HasSubstr("base_us must be"));
  for (const char* slope : {"-1", "1e10"})
    EXPECT_THAT(errorOf(withChoice(ring + "{\"base_us\": 1, \"us_per_mib\": " + slope + "}}")),
                HasSubstr("us_per_mib must be"));
}

TEST(Validate, NeverNan) {
  Policy p;
  p.tables.push_back({nccl::Collective::kAllReduce, {}, {}, {}});
  p.tables[0].rules.push_back({0, kNoLimit, {}, {}, {Choice{}}, Evidence{}});
  EXPECT_TRUE(validatePolicy(p).ok()) << validatePolicy(p).message();
  for (double* value : {&p.tables[0].rules[0].evidence->gain, &p.tables[0].rules[0].evidence->gainLow,
                        &p.tables[0].rules[0].evidence->gainHigh, &p.tables[0].rules[0].evidence->confidence,
                        &p.tables[0].rules[0].evidence->minimumDetectable}) {
    const double good = *value;
    *value = std::nan("");
    EXPECT_THAT(validatePolicy(p).message(), HasSubstr("tables[0].rules[0].evidence: "));
    *value = good;
  }
}

TEST(Validate, EvidenceIsAFraction) {
  EXPECT_THAT(errorOf(withRule(R"(, "evidence": {"gain": 12, "gain_ci": [0, 0.2]})")), HasSubstr("0.12 is 12 %"));
  EXPECT_THAT(errorOf(withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0.2, 0.1]})")), HasSubstr("low <= high"));
  EXPECT_THAT(errorOf(withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0, 0.1], "confidence": 95})")),
              HasSubstr("confidence must be"));
}

TEST(Validate, Conditions) {
  EXPECT_THAT(errorOf(withRule(R"(, "reg_buff": true)")), HasSubstr("options.uniform_application"));
  EXPECT_THAT(errorOf(withRule(R"(, "pipe_ops": [3, 2])")), HasSubstr("pipe_ops: min is above max"));
}

TEST(Validate, Layouts) {
  const auto table = [](const char* layout) {
    return withTables(std::string(R"({"collective": "reduce", "size": "total_bytes", "rules": [], "layout": )") +
                      layout + "}");
  };
  EXPECT_THAT(errorOf(table(R"({"nodes": [4, 2]})")), HasSubstr("nodes: min is above max"));
  EXPECT_THAT(errorOf(table(R"({"ranks_per_node": 0})")), HasSubstr("0 matches no communicator"));
  EXPECT_THAT(errorOf(table(R"({"nvl_domains": [2, 1]})")), HasSubstr("nvl_domains: min is above max"));
  EXPECT_THAT(errorOf(table(R"({"ranks_per_nvl_domain": [2, 1]})")), HasSubstr("ranks_per_nvl_domain: min"));
}

TEST(Validate, Constants) {
  const auto constant = [](const char* members) {
    return std::string(R"({"polyrail_policy": 1, "constants": [{)") + members + "}]}";
  };
  EXPECT_THAT(errorOf(constant(R"("array": "llMaxBws", "index": [4, 0], "value": 1)")), HasSubstr("below 4"));
  EXPECT_THAT(errorOf(constant(R"("array": "llMaxBws", "index": [0], "value": 1)")), HasSubstr("has 2 indices"));
  EXPECT_THAT(errorOf(constant(R"("array": "llMaxBws", "index": [0, 0, 0], "value": 1)")),
              HasSubstr("has 2 indices"));
  EXPECT_THAT(errorOf(constant(R"("array": "hwLatencies", "index": [0, 0], "value": 1)")),
              HasSubstr("has 3 indices"));
  EXPECT_THAT(errorOf(constant(R"("array": "llMaxBws", "index": [0, 0], "value": 0)")), HasSubstr("GB/s"));
  EXPECT_THAT(errorOf(constant(R"("array": "baseLatencies", "index": [0, 0], "value": -1)")),
              HasSubstr("microseconds"));
  EXPECT_EQ(errorOf(constant(R"("array": "baseLatencies", "index": [0, 0], "value": 0)")), "(accepted)");
}

}  // namespace
}  // namespace polyrail
