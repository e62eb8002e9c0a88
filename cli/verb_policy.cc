// SPDX-License-Identifier: Apache-2.0
// `polyrail policy`: the policy of a node, and of all nodes: install, restore, show, digest, compare.
#include <fmt/format.h>

#include "cli/deploy/install.h"
#include "cli/deploy/node_facts.h"
#include "cli/deploy/show.h"
#include "cli/output/json.h"
#include "cli/output/table.h"
#include "cli/policy/check_report.h"
#include "cli/verb_policy.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"
#include "common/policy/policy_search.h"

namespace polyrail::cli {
namespace {

struct Arguments {
  std::string file, to = kDefaultPolicyPath, policy;
  std::vector<std::string> files, libraries;
  bool json = false, force = false, node = false;
};
using Shared = std::shared_ptr<Arguments>;

void printInstalled(const Installed& done, const char* how, bool json) {
  if (json) {
    nlohmann::ordered_json out = {{"file", done.path}, {"sha256", done.digest}, {"changed", done.changed}};
    if (!done.previousPath.empty()) out["previous"] = {{"file", done.previousPath}, {"sha256", done.previousDigest}};
    fmt::print("{}\n", jsonText(out));
    return;
  }
  fmt::print("{}  {}{}\n", done.digest, done.path, done.changed ? "" : " (was installed already)");
  if (!done.previousPath.empty())
    fmt::print("{}  {}\n{}; running jobs keep what they have read\n", done.previousDigest, done.previousPath, how);
}

int finishInstall(const char* verb, const Result<Installed>& done, const char* how, bool json) {
  if (!done.ok()) return fail(verb, done.message(), kExitFailure);
  printInstalled(done.value(), how, json);
  return kExitOk;
}

int install(const Arguments& args) {
  const CheckReport report = checkPolicyFile(args.file, SysRoot::live(), Severity::kWarning);
  if (!report.error.empty()) return fail("policy install", report.error, kExitBadInput);
  if (!report.findings.empty()) fmt::print(stderr, "{}", toText(report, wantsColour(stderr)));
  if (report.count(Severity::kError) > 0 && !args.force)
    return fail("policy install", args.file + ": not installed; mend the errors, or --force it", kExitFinding);
  const Result<std::string> bytes = readPolicyFile(args.file);
  if (!bytes.ok()) return fail("policy install", bytes.message(), kExitBadInput);
  if (policyDigest(bytes.value()) != report.digest)
    return fail("policy install", args.file + ": changed while it was checked; try again", kExitFailure);
  return finishInstall("policy install", installPolicy(args.to, bytes.value()),
                       "Replaced; `polyrail policy restore` brings it back", args.json);
}

int restore(const Arguments& args) {
  return finishInstall("policy restore", restorePolicy(args.to), "Restored; a second restore undoes it", args.json);
}

int show(const Arguments& args) {
  const std::string path = args.file.empty() ? policyPath() : args.file;
  if (path.empty())
    return fail(
        "policy show",
        fmt::format("no policy is in use here: {} is not there and POLYRAIL_POLICY names none", kDefaultPolicyPath),
        kExitFinding);
  const Result<ShownPolicy> shown = readShownPolicy(path);
  if (!shown.ok()) return fail("policy show", shown.message(), kExitBadInput);
  if (args.json)
    fmt::print("{}\n", jsonText(toJson(shown.value())));
  else
    fmt::print("{}", toText(shown.value()));
  return kExitOk;
}

int digest(const Arguments& args) {
  if (args.node) {
    fmt::print("{}\n", factsLine(nodeFacts(args.policy, args.libraries)));
    return kExitOk;
  }
  std::vector<std::string> files = args.files;
  if (files.empty()) files.push_back(policyPath());
  if (files[0].empty()) return fail("policy digest", "no policy is in use here; name a file", kExitFinding);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  int code = kExitOk;
  for (const std::string& file : files) {
    const Result<LoadedPolicy> policy = loadPolicyFile(file);
    if (!policy.ok())
      code = fail("policy digest", policy.message(), kExitBadInput);
    else if (args.json)
      all.push_back({{"file", file}, {"sha256", policy.value().digest}});
    else
      fmt::print("{}  {}\n", policy.value().digest, file);
  }
  if (args.json) fmt::print("{}\n", jsonText(all));
  return code;
}

Shared newArguments(CLI::App& verb) {
  auto args = std::make_shared<Arguments>();
  verb.add_flag("--json", args->json, "print JSON");
  return args;
}

void addTo(CLI::App& verb, const Shared& args) {
  verb.add_option("--to", args->to, fmt::format("file that the plugins read (default: {})", kDefaultPolicyPath));
}

void attachInstall(CLI::App& verb, int& exitCode) {
  const Shared args = newArguments(verb);
  verb.add_option("FILE", args->file, "policy file")->required();
  addTo(verb, args);
  verb.add_flag("--force", args->force, "install it even though `polyrail check` finds errors");
  verb.footer(
      "What was there is kept beside it as .previous. The file is replaced in one step: a job that starts sees the\n"
      "old one or the new one. Install on all nodes between jobs, then `polyrail policy compare`.\n"
      "Exit codes: 0 installed, 1 the policy has errors, 3 the file is no policy, 4 it could not be written.");
  verb.callback([args, &exitCode] { exitCode = install(*args); });
}

void attachRestore(CLI::App& verb, int& exitCode) {
  const Shared args = newArguments(verb);
  addTo(verb, args);
  verb.footer("The two files change places, so that a second restore undoes the first.");
  verb.callback([args, &exitCode] { exitCode = restore(*args); });
}

void attachShow(CLI::App& verb, int& exitCode) {
  const Shared args = newArguments(verb);
  verb.add_option("FILE", args->file, "policy file (default: the one in use here)");
  verb.footer("Exit codes: 0 shown, 1 no policy is in use, 3 the file is no policy.");
  verb.callback([args, &exitCode] { exitCode = show(*args); });
}

void attachDigest(CLI::App& verb, int& exitCode) {
  const Shared args = newArguments(verb);
  verb.add_option("FILE", args->files, "policy files (default: the one in use here)");
  auto* node = verb.add_flag("--node", args->node,
                             "print what `polyrail policy compare` asks a node: digests of its policy and plugins, "
                             "NCCL's version");
  verb.add_option("--policy", args->policy, "with --node: the policy file (default: the one in use here)")
      ->needs(node);
  verb.add_option("--libraries", args->libraries, "with --node: look for the libraries in this folder first")
      ->needs(node)
      ->expected(1);
  verb.footer("The digest is the SHA-256 of the file, as sha256sum prints it and as the tuner logs it.");
  verb.callback([args, &exitCode] { exitCode = digest(*args); });
}

}  // namespace

void attachPolicy(CLI::App& verb, int& exitCode) {
  verb.require_subcommand(1);
  attachInstall(*verb.add_subcommand("install", "check a policy and put it where the plugins read it"), exitCode);
  attachRestore(*verb.add_subcommand("restore", "bring back the policy that the last install replaced"), exitCode);
  attachShow(*verb.add_subcommand("show", "say which policy is in use here and what it was learned on"), exitCode);
  attachDigest(*verb.add_subcommand("digest", "print the digest of policy files"), exitCode);
  attachPolicyCompare(
      *verb.add_subcommand("compare", "name the nodes whose policy, plugins or NCCL differ: a job on them hangs"),
      exitCode);
}

}  // namespace polyrail::cli
