// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <fmt/format.h>
#include <unistd.h>

namespace polyrail::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = {
      {"read", "show what nccl-tests' output says: tests, ranks, versions, rows, and NCCL's choices", attachRead},
      {"learn", "make a policy from nccl-tests' output, choosing only what is faster for certain", attachLearn},
      {"sweep", "measure ways to steer NCCL against its default, learn a policy, verify what it gains", attachSweep},
      {"eval", "what a policy would have gained on measurements, against NCCL's default and the best", attachEval},
      {"explain", "what a policy would make NCCL choose for one collective, and why", attachExplain},
      {"check", "say what is wrong with policy files, and whether they fit this machine", attachCheck},
      {"policy", "install, restore and show a node's policy, and compare nodes", attachPolicy},
      {"import", "make a policy from the CSV of NCCL's example tuner", attachImport},
      {"export", "write a policy as the CSV of NCCL's example tuner", attachExport},
      {"rails", "show which ports of this node the net plugin would use, how, and why not the others", attachRails},
      {"top", "show what each rail carries while jobs run: rates, latency, failures; for Prometheus, too", attachTop},
      {"perf", "measure bandwidth and latency through the net plugin between two hosts, comparing every byte",
       attachPerf},
      {"env", "list every setting that polyrail reads with its effective value and where it comes from", attachEnv},
  };
  return table;
}

// A line of progress may stand there.
int fail(const char* verb, const std::string& message, ExitCode code) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  fmt::print(stderr, "polyrail {}: {}\n", verb, message);
  return code;
}

}  // namespace polyrail::cli
