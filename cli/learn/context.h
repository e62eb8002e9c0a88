// SPDX-License-Identifier: Apache-2.0
// Under what conditions a run was measured. Times are compared only inside one context: another GPU, NCCL version,
// plugin or campaign is another experiment, and nothing pools two of them silently. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/data/labelled_run.h"

namespace polyrail::cli {

struct Context {
  std::string label, gpu, ncclVersion, tunerPlugin, network;
  auto operator<=>(const Context&) const = default;
};

// "NVIDIA H100, NCCL 2.29.2, tuner aws-ofi, campaign night-1"; what is not known is left out.
std::string describe(const Context& context);

// One number a run: runs of the same number share a context. A run whose file does not say its GPU, NCCL version or
// network belongs with the one more complete context that agrees in all it does say; where none or several agree
// it stays on its own. Contexts are in order of their number, sorted by description.
struct Contexts {
  std::vector<Context> all;
  std::vector<size_t> of;  // per run
};
Contexts contextsOf(const std::vector<LabelledRun>& runs);

}  // namespace polyrail::cli
