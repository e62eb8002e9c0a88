// SPDX-License-Identifier: Apache-2.0
// `polyrail export`: a policy as the CSV of NCCL's example tuner.
#include "cli/csv/export.h"
#include "cli/csv/report.h"
#include "cli/verbs.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {
namespace {

struct Arguments {
  std::string file, output;
  bool json = false;
};

int exportPolicy(const Arguments& args) {
  const Result<LoadedPolicy> loaded = loadPolicyFile(args.file);
  if (!loaded.ok()) return fail("export", loaded.message(), kExitBadInput);
  const CsvExport done = exportCsv(loaded.value().policy);
  return finish({"export", args.file, args.output, done.text, done.rows, done.remarks, args.json});
}

}  // namespace

void attachExport(CLI::App& verb, int& exitCode) {
  auto args = std::make_shared<Arguments>();
  verb.add_option("POLICY", args->file, "policy file")->required();
  CLI::Option* output = verb.add_option("-o,--output", args->output, "write the CSV here (default: standard output)");
  verb.add_flag("--json", args->json, "print what could not be said as JSON; needs -o")->needs(output);
  verb.footer(
      "What the CSV cannot say is told on standard error.\n"
      "Exit codes: 0 everything that decides was taken over, 1 something was left out, 3 the file is no policy.");
  verb.callback([args, &exitCode] { exitCode = exportPolicy(*args); });
}

}  // namespace polyrail::cli
