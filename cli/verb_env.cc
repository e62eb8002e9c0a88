// SPDX-License-Identifier: Apache-2.0
// `polyrail env`: every setting, its effective value in this shell, and where that comes from.
#include <fmt/format.h>

#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/verbs.h"
#include "common/settings.h"

namespace polyrail::cli {
namespace {

struct Line {
  std::string value, source, problem;
};

Line look(const Setting& s) {
  const Result<SettingValue> read = readSetting(s);
  if (!read.ok()) return {s.fallback, "default", read.message()};
  return {read.value().text, read.value().fromEnvironment ? "environment" : "default", ""};
}

std::string range(const Setting& s) {
  if (s.type == SettingType::kInteger) return fmt::format("{}..{}", s.min, s.max);
  return s.type == SettingType::kWord ? s.words : s.type == SettingType::kPath ? "path" : "text";
}

void printJson() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Setting& s : settings()) {
    const Line line = look(s);
    nlohmann::ordered_json one = {{"name", s.name},        {"reader", s.reader},    {"value", line.value},
                                  {"source", line.source}, {"default", s.fallback}, {"range", range(s)},
                                  {"meaning", s.meaning}};
    if (!line.problem.empty()) one["problem"] = line.problem;
    all.push_back(std::move(one));
  }
  fmt::print("{}\n", jsonText(all));
}

void printTable() {
  Table table({{"NAME"}, {"READER"}, {"VALUE"}, {"SOURCE"}, {"RANGE"}, {"MEANING"}});
  for (const Setting& s : settings()) {
    const Line line = look(s);
    table.add({s.name, s.reader, line.value.empty() ? "-" : line.value, line.source, range(s), s.meaning});
  }
  table.print(stdout, wantsColour(stdout));
}

int problems() {
  int code = kExitOk;
  for (const Setting& s : settings())
    if (const Line line = look(s); !line.problem.empty()) code = fail("env", line.problem, kExitFinding);
  return code;
}

}  // namespace

void attachEnv(CLI::App& verb, int& exitCode) {
  auto json = std::make_shared<bool>(false);
  verb.add_flag("--json", *json, "print JSON");
  verb.callback([json, &exitCode] {
    *json ? printJson() : printTable();
    exitCode = problems();
  });
}

}  // namespace polyrail::cli
