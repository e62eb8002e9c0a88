// SPDX-License-Identifier: Apache-2.0
// The JSON schema and the parser must agree, and every policy that ships must please both. The schema is run by
// python3-jsonschema; without it those tests are skipped.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/policy/policy_file.h"
#include "test/unit/policy/documents.h"
#include "test/unit/policy/policy_gen.h"
#include "test/unit/schema_verdicts.h"

namespace polyrail {
namespace {

using test::withChoice;
using test::withRule;
using test::withRules;
using test::withTables;

std::vector<std::string> verdictsOf(const std::vector<std::string>& documents) {
  return test::schemaVerdictsOf("policy.schema.json", documents);
}

std::vector<std::string> shipped() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::sourceTop() + "/policies"))
    if (entry.path().extension() == ".json" && entry.path().stem().extension() != ".schema")
      files.push_back(entry.path());
  return files;
}

TEST(Shipped, ParserTakesThem) {
  EXPECT_FALSE(shipped().empty());
  for (const std::string& file : shipped()) {
    const Result<LoadedPolicy> loaded = loadPolicyFile(file);
    EXPECT_TRUE(loaded.ok()) << loaded.message();
  }
}

TEST(Shipped, SchemaTakesThem) {
  const std::vector<std::string> files = shipped(), lines = test::schemaVerdicts("policy.schema.json", files);
  SKIP_WITHOUT_SCHEMA(lines);
  for (size_t i = 0; i < lines.size(); i++) EXPECT_EQ(lines[i], "valid\n") << files[i];
}

bool accepts(const std::string& json) { return parsePolicy(json, "p.json").ok(); }

void expectBoth(const std::vector<std::string>& documents, bool accepted) {
  for (const std::string& json : documents) EXPECT_EQ(accepts(json), accepted) << json;
  const std::vector<std::string> lines = verdictsOf(documents);
  SKIP_WITHOUT_SCHEMA(lines);
  for (size_t i = 0; i < lines.size(); i++) EXPECT_EQ(lines[i] == "valid\n", accepted) << documents[i] << lines[i];
}

std::string evidence(const std::string& more) {
  return withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0, 0.2])" + more + "}");
}
std::string choice(const std::string& more) {
  return withChoice(R"({"algorithm": "ring", "protocol": "ll")" + more + "}");
}
std::string layout(const std::string& members) {
  return withTables(R"({"collective": "reduce", "size": "total_bytes", "rules": [], "layout": {)" + members + "}}");
}
std::string document(const std::string& members) { return R"({"polyrail_policy": 1, )" + members + "}"; }
std::string constant(const std::string& members) { return document(R"("constants": [{)" + members + "}]"); }

TEST(Schema, AgreesOnGoodDocuments) {
  expectBoth(
      {
          R"({"polyrail_policy": 1})",
          R"({"polyrail_policy": 1.0, "$schema": 7, "comment": [null], "x-": {"y": 1}})",
          document(R"("identity": {"nccl": {"min": "", "comment": 1}, "sources": []}, "options": {})"),
          withRule("", R"("from": "64KiB", "to": "1 m")"),
          withRule("", R"("from": 1e3, "to": 18446744073709551615)"),
          withRule(R"(, "pipe_ops": [0, null], "x-a": 1)"),
          choice(R"(, "channels": 64, "chunk_bytes": 16, "time": {"base_us": 0.001, "us_per_mib": 0})"),
          choice(R"(, "channels": 1, "chunk_bytes": "1KiB")"),
          evidence(R"(, "wrong": null, "samples": 0, "confidence": 0.5)"),
          layout(
              R"("nodes": 1, "ranks_per_node": [0, null], "nvl_domains": [2, 2], "ranks_per_nvl_domain": [1, 72])"),
          constant(R"("array": "hwLatencies", "index": [0, 6, 2], "value": 0)"),
          constant(R"("array": "llMaxBws", "index": [0, 2], "value": 1e2)"),
      },
      true);
}

TEST(Schema, RejectsWrongTypesAndKeys) {
  expectBoth(
      {
          "[]",
          "null",
          "{}",
          R"({"polyrail_policy": "1"})",
          R"({"polyrail_policy": 2})",
          R"({"polyrail_policy": true})",
          document(R"("tabels": [])"),
          document(R"("name": 1)"),
          document(R"("name": null)"),
          document(R"("identity": [])"),
          document(R"("identity": {"gpus": "H100"})"),
          document(R"("identity": {"sources": [1]})"),
          document(R"("identity": {"nccl": "2.24"})"),
          document(R"("identity": {"nccl": {"low": "2.24"}})"),
          document(R"("options": {"uniform_application": 1})"),
          document(R"("options": {"other": true})"),
          document(R"("tables": {})"),
          withTables("null"),
          withTables(R"({"collective": "allreduce", "rules": []})"),
          withTables(R"({"size": "total_bytes", "rules": []})"),
          withTables(R"({"collective": "allreduce", "size": "total_bytes"})"),
          withTables(R"({"collective": "alltoall", "size": "total_bytes", "rules": []})"),
          withTables(R"({"collective": "AllReduce", "size": "total_bytes", "rules": []})"),
          withTables(R"({"collective": "allreduce", "size": "per_rank_bytes", "rules": []})"),
          withTables(R"({"collective": "allgather", "size": "total_bytes", "rules": []})"),
          withTables(R"({"collective": "reduce", "size": "bytes", "rules": []})"),
          withTables(R"({"collective": "reduce", "size": "total_bytes", "rules": [], "max_channels": 65})"),
          withTables(R"({"collective": "reduce", "size": "total_bytes", "rules": [], "max_channels": 0})"),
          layout(R"("nodes": 0)"),
          layout(R"("nodes": -1)"),
          layout(R"("nodes": [1])"),
          layout(R"("nodes": [1, 2, 3])"),
          layout(R"("nodes": [null, 2])"),
          layout(R"("nodes": "2")"),
          layout(R"("node": 2)"),
      },
      false);
}

TEST(Schema, RejectsWrongRules) {
  const std::string ring = R"({"algorithm": "ring", "protocol": "ll"})";
  expectBoth(
      {
          withRules("[]"),
          withRules(R"({"from": 0, "to": null})"),
          withRules(R"({"from": 0, "choices": [)" + ring + "]}"),
          withRules(R"({"to": null, "choices": [)" + ring + "]}"),
          withRules(R"({"from": 0, "to": null, "choices": []})"),
          withChoice(ring + "," + ring + "," + ring + "," + ring),
          withRule("", R"("from": -1, "to": null)"),
          withRule("", R"("from": 0.5, "to": null)"),
          withRule("", R"("from": null, "to": null)"),
          withRule("", R"("from": "64KB", "to": null)"),
          withRule("", R"("from": "", "to": null)"),
          withRule("", R"("from": "1 ", "to": null)"),
          withRule("", R"("from": "1.5K", "to": null)"),
          withRule("", R"("from": 0, "to": 18446744073709551616)"),
          withRule("", R"("from": 0, "to": 1e20)"),
          withRule(R"(, "pipe_ops": "1")"),
          withRule(R"(, "reg_buff": 1)"),
          withRule(R"(, "evidence": null)"),
          withChoice(R"({"algorithm": "ring"})"),
          withChoice(R"({"protocol": "ll"})"),
          withChoice(R"({"algorithm": "rings", "protocol": "ll"})"),
          withChoice(R"({"algorithm": "ring", "protocol": "LL"})"),
          choice(R"(, "channels": 0)"),
          choice(R"(, "channels": 65)"),
          choice(R"(, "channels": 1.5)"),
          choice(R"(, "channels": "8")"),
          choice(R"(, "chunk_bytes": 16)"),
          choice(R"(, "channels": 1, "chunk_bytes": 0)"),
          choice(R"(, "channels": 1, "chunk_bytes": 2147483648)"),
          choice(R"(, "threads": 512)"),
          choice(R"(, "time": {"base_us": 0, "us_per_mib": 1})"),
          choice(R"(, "time": {"base_us": 1})"),
          choice(R"(, "time": {"base_us": 1, "us_per_mib": -1})"),
          choice(R"(, "time": {"base_us": 1e10, "us_per_mib": 1})"),
          choice(R"(, "time": 12)"),
          evidence(R"(, "confidence": 0)"),
          evidence(R"(, "confidence": 1)"),
          evidence(R"(, "samples": -1)"),
          evidence(R"(, "wrong": "0")"),
          evidence(R"(, "ll128_default": 1)"),
          evidence(R"(, "minimum_detectable": -0.1)"),
          withRule(R"(, "evidence": {"gain": 0.1})"),
          withRule(R"(, "evidence": {"gain": 2, "gain_ci": [0, 1]})"),
          withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0]})"),
          withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0, 1, 2]})"),
          withRule(R"(, "evidence": {"gain": 0.1, "gain_ci": [0, 1.1]})"),
          constant(R"("array": "bws", "index": [0, 0], "value": 1)"),
          constant(R"("array": "llMaxBws", "value": 1)"),
          constant(R"("array": "llMaxBws", "index": [0], "value": 1)"),
          constant(R"("array": "llMaxBws", "index": [0, 0, 0], "value": 1)"),
          constant(R"("array": "hwLatencies", "index": [0, 0], "value": 1)"),
          constant(R"("array": "llMaxBws", "index": [0, -1], "value": 1)"),
          constant(R"("array": "llMaxBws", "index": [0, 0], "value": -1)"),
          constant(R"("array": "llMaxBws", "index": [0, 0], "value": 1e10)"),
      },
      false);
}

// Puts something else somewhere, or takes something away.
void mutate(nlohmann::json& at) {
  if (!at.is_structured() || at.empty() || *rc::gen::inRange(0, 4) == 0) {
    at = *rc::gen::element<nlohmann::json>(nullptr, true, -1, 0, 1, 65, 0.5, 1e300, "ring", "1K",
                                           nlohmann::json::array(), nlohmann::json::object());
    return;
  }
  auto child = std::next(at.begin(), *rc::gen::inRange<int>(0, static_cast<int>(at.size())));
  if (*rc::gen::inRange(0, 8) == 0)
    at.erase(child);
  else
    mutate(*child);
}

// Not the reverse: a schema cannot compare two numbers of the document.
TEST(Schema, TakesWhatTheParserTakes) {
  std::vector<std::string> documents;
  EXPECT_TRUE(rc::check([&] {
    nlohmann::json json = nlohmann::json::parse(writePolicy(test::anyPolicy()));
    documents.push_back(json.dump());
    mutate(json);
    documents.push_back(json.dump());
  }));
  std::erase_if(documents, [](const std::string& json) { return !accepts(json); });
  EXPECT_GE(documents.size(), 100u);
  const std::vector<std::string> lines = verdictsOf(documents);
  SKIP_WITHOUT_SCHEMA(lines);
  for (size_t i = 0; i < lines.size(); i++) EXPECT_EQ(lines[i], "valid\n") << documents[i];
}

}  // namespace
}  // namespace polyrail
