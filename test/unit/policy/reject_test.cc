// SPDX-License-Identifier: Apache-2.0
// Every way a document can be wrong gives one error with place and reason, and nothing else happens.
#include <gmock/gmock.h>

#include "common/policy/policy_file.h"
#include "test/unit/policy/documents.h"

namespace polyrail {
namespace {

using test::withChoice;
using test::withRule;
using test::withRules;
using test::withTables;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string errorOf(const std::string& json) {
  const Result<Policy> policy = parsePolicy(json, "p.json");
  return policy.ok() ? "(accepted)" : policy.message();
}

struct Bad {
  std::string json;
  const char* reason;
};

void expectReasons(std::initializer_list<Bad> cases) {
  for (const Bad& bad : cases) {
    const std::string error = errorOf(bad.json);
    EXPECT_THAT(error, HasSubstr(bad.reason)) << bad.json;
    EXPECT_THAT(error, StartsWith("p.json:1: ")) << bad.json;
    EXPECT_THAT(error, Not(HasSubstr("\n"))) << bad.json;
    EXPECT_LT(error.size(), 400u);
  }
}

TEST(Reject, Malformed) {
  expectReasons({
      {"", "unexpected end of input"},
      {"   ", "unexpected end of input"},
      {"{", "unexpected end of input"},
      {R"({"polyrail_policy": 1,})", "expected string literal"},
      {R"({"polyrail_policy": 1} trailing)", "invalid literal"},
      {R"({"polyrail_policy": 1}{})", "expected end of input"},
      {R"({"polyrail_policy": 01})", "expected '}'"},
      {R"({"name": "\x"})", "forbidden character after backslash"},
      {R"({"name": "\ud800"})", "surrogate"},
      {"{\"name\": \"a\xff\"}", "ill-formed UTF-8"},
      {"{\"name\": \"\xc0\xaf\"}", "ill-formed UTF-8"},
      {"\xef\xbb{}", "BOM"},
      {std::string("{\"polyrail_policy\": 1}\0tail", 26), "zero byte"},
      {std::string(4096, '\0'), "zero byte"},
      {"\x7f"
       "ELF\x02\x01\x01",
       "invalid literal"},
      {"// comment\n{}", "invalid literal"},
  });
}

TEST(Reject, WhatJsonCannotSay) {
  for (const char* value : {"NaN", "Infinity", "-Infinity", "nan", "0x10", "+1", ".5", "1."})
    EXPECT_THAT(errorOf(withRule(std::string(R"(, "evidence": {"gain": )") + value + "}")), HasSubstr("p.json:1: "));
}

TEST(Reject, Numbers) {
  expectReasons({
      {withRule("", R"("from": 0, "to": 1e400)"), "number overflow"},
      {withRule("", R"("from": 0, "to": 18446744073709551616)"), "is too large; the largest is 18446744073709551615"},
      {withRule("", R"("from": -1, "to": null)"), "must be a whole number, 0 or more"},
      {withRule("", R"("from": 0.5, "to": null)"), "must be a whole number"},
      {withRule("", R"("from": -1e300, "to": null)"), "must be a whole number"},
      {withRule("", R"("from": "64KB", "to": null)"), "\"64KB\" is no size"},
      {withRule("", R"("from": "", "to": null)"), "is no size"},
      {withRule("", R"("from": "-1", "to": null)"), "is no size"},
      {withRule("", R"("from": "16777216T", "to": null)"), "is no size"},
      {withRule("", R"("from": "18446744073709551616", "to": null)"), "is no size"},
      {withRule("", R"("from": true, "to": null)"), "must be a whole number, not true or false"},
      {withChoice(R"({"algorithm": "ring", "protocol": "ll", "channels": 3000000000})"), "is too large"},
  });
}

TEST(Reject, WrongTypes) {
  expectReasons({
      {"[]", "is not a polyrail policy"},
      {"17", "is not a polyrail policy"},
      {"null", "is not a polyrail policy"},
      {"{}", "is not a polyrail policy"},
      {R"({"polyrail_policy": "1"})", "must be a whole number, not a string"},
      {R"({"polyrail_policy": 2, "later": true})", "this polyrail reads format 1"},
      {R"({"polyrail_policy": 1, "name": 7})", "name: must be a string, not a number"},
      {R"({"polyrail_policy": 1, "identity": []})", "identity: must be an object, not a list"},
      {R"({"polyrail_policy": 1, "identity": {"sources": "a.log"}})",
       "identity.sources: must be a list, not a string"},
      {R"({"polyrail_policy": 1, "identity": {"sources": [1]}})", "identity.sources[0]: must be a string"},
      {R"({"polyrail_policy": 1, "options": {"uniform_application": 1}})", "must be true or false, not a number"},
      {R"({"polyrail_policy": 1, "tables": {}})", "tables: must be a list, not an object"},
      {withTables("null"), "tables[0]: must be an object, not null"},
      {withRules("[]"), "tables[0].rules[0]: must be an object"},
      {withChoice("\"ring\""), "tables[0].rules[0].choices[0]: must be an object"},
      {withRule(R"(, "pipe_ops": [1])"), "must be a number or [min, max]"},
      {withRule(R"(, "pipe_ops": [1, 2, 3])"), "must be a number or [min, max]"},
      {withRule(R"(, "pipe_ops": [null, 2])"), "pipe_ops[0]: must be a whole number, not null"},
      {withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": 0.1})"), "must be [low, high]"},
  });
}

TEST(Reject, KeysAndWords) {
  expectReasons({
      {R"({"polyrail_policy": 1, "tabels": []})", "unknown key \"tabels\", did you mean 'tables'?"},
      {R"({"polyrail_policy": 1, "Tables": []})", "unknown key \"Tables\""},
      {withRule(R"(, "evidence": {"gains": 1})"),
       "tables[0].rules[0].evidence: unknown key \"gains\", did you mean 'gain'?"},
      {withChoice(R"({"algoritm": "ring", "protocol": "ll"})"), "did you mean 'algorithm'?"},
      {withChoice(R"({"algorithm": "rign", "protocol": "ll"})"), "\"rign\" is not known, did you mean 'ring'?"},
      {withChoice(R"({"algorithm": "NVLS_TREE", "protocol": "simple"})"),
       "\"NVLS_TREE\" is spelled \"nvlstree\" here"},
      {withTables(R"({"collective": "all_reduce_perf", "size": "total_bytes", "rules": []})"),
       "is spelled \"allreduce\" here"},
      {withChoice(R"({"algorithm": "butterfly", "protocol": "ll"})"), "one of tree, ring,"},
      {withChoice(R"({"algorithm": "ring", "protocol": "ll12"})"), "did you mean 'll128'?"},
      {withChoice(R"({"algorithm": "ring"})"), "tables[0].rules[0].choices[0]: has no \"protocol\""},
      {withRules(R"({"from": 0, "choices": []})"), "tables[0].rules[0]: has no \"to\""},
      {withTables(R"({"collective": "allreduce", "rules": []})"), "tables[0]: has no \"size\""},
      {withTables(R"({"collective": "alltoall", "size": "total_bytes", "rules": []})"), "\"alltoall\" is not known"},
      {R"({"polyrail_policy": 1, "name": "a", "name": "b"})", "has \"name\" twice"},
      {R"({"polyrail_policy": 1, "x-a": {"k": 1, "k": 1}})", "has \"k\" twice"},
      {R"({"polyrail_policy": 1, "name": "a", "n\u0061me": "b"})", "has \"name\" twice"},
      {"{\"polyrail_policy\": 1, \"a\\nb\": 1}", "unknown key \"a?b\""},
      {R"({"polyrail_policy": 1, ")" + std::string(10000, 'k') + R"(": 1})", "unknown key \"kkkk"},
      {R"({"polyrail_policy": 1, "constants": [{"array": "hwLatency", "index": [0,0,0], "value": 1}]})",
       "did you mean 'hwLatencies'?"},
  });
}

TEST(Reject, Units) {
  expectReasons({
      {withTables(R"({"collective": "allgather", "size": "total_bytes", "rules": []})"),
       "the sizes of allgather are per_rank_bytes"},
      {withTables(R"({"collective": "allreduce", "size": "per_rank_bytes", "rules": []})"),
       "the sizes of allreduce are total_bytes"},
      {withTables(R"({"collective": "allreduce", "size": "bytes", "rules": []})"), "\"bytes\" is not known"},
  });
}

TEST(Reject, SaysTheLine) {
  EXPECT_THAT(errorOf("{\n\"polyrail_policy\": 1,\n\"name\": 7\n}"), StartsWith("p.json:3: name: "));
  EXPECT_THAT(errorOf("{\r\n\"polyrail_policy\": 1,\r\n\r\n\"tabels\": 7\r\n}"), StartsWith("p.json:4: unknown key"));
  EXPECT_THAT(errorOf("{\n\"polyrail_policy\": 1,\n\"name\": \"a\"\n\"b\": 1\n}"),
              StartsWith("p.json:4: syntax error"));
  std::string semantic = withRule("", "\n\"from\": 8,\n\"to\": 8\n");
  EXPECT_THAT(errorOf(semantic), StartsWith("p.json:3: tables[0].rules[0].to: must be above"));
}

TEST(Reject, DeepNestingWithoutRecursion) {
  EXPECT_THAT(errorOf(std::string(1'000'000, '[')), HasSubstr("nested more than 32 levels deep"));
  std::string objects;
  for (int i = 0; i < 200'000; i++) objects += R"({"a":)";
  EXPECT_THAT(errorOf(objects), HasSubstr("nested more than 32 levels deep"));
  const std::string deep = R"({"polyrail_policy": 1, "x-a": )" + std::string(31, '[') + std::string(31, ']') + "}";
  EXPECT_EQ(errorOf(deep), "(accepted)");
}

TEST(Reject, TooMuch) {
  EXPECT_THAT(errorOf(std::string(kMaxPolicyBytes + 1, ' ')), HasSubstr("at most 16 MiB"));
  EXPECT_THAT(errorOf(std::string(kMaxPolicyBytes, ' ')), HasSubstr("unexpected end of input"));
  std::string values = R"({"polyrail_policy": 1, "x-a": [0)";
  for (int i = 0; i < 2'000'000; i++) values += ",0";
  EXPECT_THAT(errorOf(values + "]}"), HasSubstr("more than 2000000 values"));
}

// Quadratic work anywhere would show here as minutes.
TEST(Reject, ManyKeysInOneObject) {
  std::string json = R"({"polyrail_policy": 1)";
  for (int i = 0; i < 300'000; i++) json += ",\"x-" + std::to_string(i) + "\":0";
  EXPECT_EQ(errorOf(json + "}"), "(accepted)");
  EXPECT_THAT(errorOf(json + ", \"x-7\": 0}"), HasSubstr("has \"x-7\" twice"));
}

}  // namespace
}  // namespace polyrail
