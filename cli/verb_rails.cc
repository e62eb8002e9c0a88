// SPDX-License-Identifier: Apache-2.0
// `polyrail rails`: the ports of this node as the net plugin sees them, which of them it would use, and why not the
// others.
#include <fmt/format.h>

#include "cli/rails/print.h"
#include "cli/verbs.h"

namespace polyrail::cli {
namespace {

struct RailsOptions {
  std::string root;
  bool json = false;
};

int rails(const RailsOptions& options) {
  Result<SysRoot> root = options.root.empty() ? Result(SysRoot::live()) : SysRoot::at(options.root);
  if (!root.ok()) return fail("rails", root.message(), kExitBadInput);
  const Result<RailSurvey> survey = surveyRails(root.value());
  if (!survey.ok()) return fail("rails", survey.message(), kExitFinding);
  if (options.json)
    fmt::print("{}\n", jsonText(railsJson(survey.value())));
  else
    printRails(survey.value());
  return survey.value().found.ports.empty() ? kExitFinding : kExitOk;
}

}  // namespace

void attachRails(CLI::App& verb, int& exitCode) {
  auto options = std::make_shared<RailsOptions>();
  verb.add_flag("--json", options->json, "print JSON");
  verb.add_option("--root", options->root,
                  "folder with a recorded /sys (a copy of /sys/class/infiniband and what it links to) to look at in "
                  "place of this machine; verbs is not asked then")
      ->type_name("DIR");
  verb.footer(
      "Reads the same variables as the plugin (NCCL_IB_HCA, NCCL_IB_GID_INDEX, ...; see `polyrail env`).\n"
      "Exit status: 0 when at least one port is a rail, 1 when none is.");
  verb.callback([options, &exitCode] { exitCode = rails(*options); });
}

}  // namespace polyrail::cli
