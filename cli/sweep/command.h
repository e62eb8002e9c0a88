// SPDX-License-Identifier: Apache-2.0
// From what is to be measured to the shell's command line: a launcher's template with the benchmark in it. Stateless.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/sweep/plan.h"

namespace polyrail::sweep {

using Settings = std::vector<std::pair<std::string, std::string>>;  // environment variables, in order

// One start of the benchmark.
struct Start {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  Layout layout;
  uint64_t first = 0, last = 0, factor = 2;  // -b, -e, -f
  Settings settings;
};

// A template is text for the shell. {program} and {args} must be in it; {nodes}, {ranks}, {ppn} (ranks of a node),
// {env} (NAME=VALUE ..., for `env`), {exports} (-x NAME ..., as Open MPI takes it) and {test} (all_reduce, ...) may
// be, in the program too. These names stand for templates of their own: local (one node: threads of one process),
// mpirun, srun, torchrun. Braces around anything else are an error, but for ${NAME}, which is the shell's.
Status checkTemplates(const Plan& plan);

// For `sh -c`. REQUIRES: checkTemplates(plan).ok()
std::string commandLine(const Plan& plan, const Start& start);

// What steers NCCL to an arm; nothing for its default.
Settings settingsOf(const std::optional<cli::Arm>& arm);

// What would steer NCCL although nobody asked for it here: taken out of the environment of every run.
const std::vector<std::string>& steeringVariables();

}  // namespace polyrail::sweep
