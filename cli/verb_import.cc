// SPDX-License-Identifier: Apache-2.0
// `polyrail import`: a policy from the CSV of NCCL's example tuner.
#include "cli/csv/import.h"
#include "cli/csv/report.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

struct Arguments {
  std::string file, output;
  bool uniform = false, json = false;
};

int import(const Arguments& args) {
  const Result<std::string> bytes = readPolicyFile(args.file);
  if (!bytes.ok()) return fail("import", bytes.message(), kExitBadInput);
  Result<CsvImport> read = importCsv(bytes.value(), args.file, args.uniform);
  if (!read.ok()) return fail("import", read.message(), kExitBadInput);
  CsvImport& done = read.value();
  done.policy.name = args.file.substr(args.file.rfind('/') + 1);
  done.policy.identity.sources = {done.policy.name};
  const std::string text = writePolicy(done.policy);
  if (text.size() > kMaxPolicyBytes) return fail("import", args.file + ": makes a policy over 16 MiB", kExitBadInput);
  return finish({"import", args.file, args.output, text, done.rows, done.remarks, args.json});
}

}  // namespace

void attachImport(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_option("CSV", args->file, "collective,min,max,algo,proto,channels,nNodes,nRanks[,numPipeOps[,regBuff]]")
      ->required();
  CLI::Option* output =
      verb.add_option("-o,--output", args->output, "write the policy here (default: standard output)");
  verb.add_flag("--uniform-application", args->uniform,
                "keep rows that look at regBuff: you vouch that every rank registers its buffers alike");
  verb.add_flag("--json", args->json, "print what could not be said as JSON; needs -o")->needs(output);
  verb.footer(
      "What a policy cannot say is told line by line on standard error.\n"
      "Exit codes: 0 everything was taken over, 1 something was left out, 3 the file cannot be used.");
  verb.callback([args, &exitCode] { exitCode = import(*args); });
}

}  // namespace polyrail::cli
