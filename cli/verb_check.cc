// SPDX-License-Identifier: Apache-2.0
// `polyrail check`: is this file a policy, is it a sensible one, and is it one for this machine.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output/table.h"
#include "cli/policy/check_report.h"
#include "cli/verbs.h"

namespace polyrail::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string root;
  Severity least = Severity::kNote;
  bool json = false;
};

int exitCodeOf(const CheckReport& report) {
  if (!report.error.empty()) return kExitBadInput;
  return report.count(Severity::kError) > 0 ? kExitFinding : kExitOk;
}

void print(const CheckReport& report, std::FILE* out) { fmt::print(out, "{}", toText(report, wantsColour(out))); }

int check(const Arguments& args) {
  Result<SysRoot> root = args.root.empty() ? Result<SysRoot>(SysRoot::live()) : SysRoot::at(args.root);
  if (!root.ok()) return fail("check", root.message(), kExitBadInput);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  int code = kExitOk;
  for (const std::string& file : args.files) {
    const CheckReport report = checkPolicyFile(file, root.value(), args.least);
    code = std::max(code, exitCodeOf(report));
    if (args.json)
      all.push_back(toJson(report));
    else
      print(report, report.error.empty() ? stdout : stderr);
  }
  if (args.json) fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return code;
}

}  // namespace

void attachCheck(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_option("FILE", args->files, "policy files")->required();
  verb.add_option("--least", args->least, "leave out findings below this severity: note, warning or error")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Severity>{
          {"note", Severity::kNote}, {"warning", Severity::kWarning}, {"error", Severity::kError}}));
  verb.add_option("--root", args->root,
                  "compare the identity with the machine whose /proc and /sys are recorded here");
  verb.add_flag("--json", args->json, "print JSON");
  verb.footer(
      "Exit codes: 0 no error was found (there may be warnings), 1 some error, 3 a file is no policy.\n"
      "What each check means: docs/policy-format.md.");
  verb.callback([args, &exitCode] { exitCode = check(*args); });
}

}  // namespace polyrail::cli
