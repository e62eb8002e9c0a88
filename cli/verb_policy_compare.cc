// SPDX-License-Identifier: Apache-2.0
// `polyrail policy compare`: do all nodes of a job have the same policy, plugins and NCCL?
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "cli/deploy/compare.h"
#include "cli/deploy/host_list.h"
#include "cli/output/json.h"
#include "cli/verb_policy.h"

namespace polyrail::cli {
namespace {

constexpr char kVerb[] = "policy compare";

struct Arguments {
  std::string hosts, hostFile, launcher = "ssh", remote = "polyrail", policy, libraries;
  RunLimits limits;
  bool json = false;
};

Result<std::vector<std::string>> hostsOf(const Arguments& args) {
  if (args.hostFile.empty()) return parseHosts(args.hosts);
  std::ifstream file(args.hostFile);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) return Status::error("cannot read " + args.hostFile);
  return parseHosts(text);
}

Result<std::string> commandOf(const Arguments& args) {
  std::string line = args.remote + " policy digest --node";
  if (!args.policy.empty()) line += " --policy " + args.policy;
  if (!args.libraries.empty()) line += " --libraries " + args.libraries;
  for (const std::string& word : {args.remote, args.policy, args.libraries})
    if (!word.empty() && !isPlainWord(word))
      return Status::error(
          fmt::format("'{}' would not reach the nodes as it is: letters, digits and ./_-+=:@,% only", word));
  return line;
}

int compare(const Arguments& args) {
  if (args.hosts.empty() == args.hostFile.empty())
    return fail(kVerb, "name the nodes with --hosts or with --host-file", kExitUsage);
  const Result<std::vector<std::string>> hosts = hostsOf(args);
  if (!hosts.ok()) return fail(kVerb, hosts.message(), kExitUsage);
  const Result<std::string> command = commandOf(args);
  if (!command.ok()) return fail(kVerb, command.message(), kExitUsage);
  const Result<std::vector<Launch>> all = launches(args.launcher, hosts.value(), command.value());
  if (!all.ok()) return fail(kVerb, all.message(), kExitUsage);
  const Comparison found = compareNodes(all.value(), args.limits);
  if (args.json)
    fmt::print("{}\n", jsonText(toJson(found)));
  else
    fmt::print("{}", toText(found));
  return found.agrees() ? kExitOk : kExitFinding;
}

}  // namespace

void attachPolicyCompare(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_flag("--json", args->json, "print JSON");
  verb.add_option("--hosts", args->hosts, "nodes to ask: n1,n2 or n[001-128]");
  verb.add_option("--host-file", args->hostFile, "file that lists them");
  verb.add_option("--launcher", args->launcher,
                  "ssh, pdsh, srun, or a template with {command} and {host} or {hosts} (default: ssh)");
  verb.add_option("--remote", args->remote, "the command on the nodes (default: polyrail)");
  verb.add_option("--policy", args->policy, "policy file on the nodes (default: the one in use there)");
  verb.add_option("--libraries", args->libraries, "folder on the nodes to look for the libraries in first");
  verb.add_option("--at-once", args->limits.atOnce, "launches at a time (default: 32)")->check(CLI::Range(1, 1024));
  verb.add_option("--timeout", args->limits.seconds, "seconds a launch may take (default: 60)")
      ->check(CLI::Range(0.1, 86400.0));
  verb.footer(
      "Examples: polyrail policy compare --hosts n[001-128]\n"
      "          polyrail policy compare --hosts $SLURM_NODELIST --launcher srun\n"
      "          polyrail policy compare --hosts a,b --launcher 'kubectl exec {host} -- {command}'\n"
      "Exit codes: 0 all nodes answered and agree, 1 they do not.");
  verb.callback([args, &exitCode] { exitCode = compare(*args); });
}

}  // namespace polyrail::cli
