// SPDX-License-Identifier: Apache-2.0
// What a policy would make of one collective, and why, as plain values: `polyrail explain` prints them. The decision
// itself is the plugin's own code (tuner/snapshot.h, tuner/decide.h) on the table that NCCL would hand it, so the two
// cannot disagree. One thread; the policy and the question must outlive an explanation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/model/gates.h"
#include "cli/model/predicted_time.h"
#include "common/policy/policy.h"
#include "tuner/channels.h"
#include "tuner/decide.h"

namespace polyrail::cli {

struct ExplainQuestion {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  uint64_t totalBytes = 0;  // as nccl-tests' size column
  Shape shape;              // with the ABI of `version`
  int pipeOps = 1;
  Registered registered = Registered::kUnknown;
  int version = nccl::kReferenceVersion;
  std::string type, redop;  // "" when not said
  std::string gpu;          // as nccl-tests names it; "" when not known
  nccl::EnvFilter filter;
  std::optional<int> pool;           // the communicator's channels, when known
  std::optional<int> nvlsChannels;   // 16 when not known
  const CostModel* table = nullptr;  // NCCL's own, from a log; not owned
  std::string tableOrigin;           // what the log's run differed in: another shape, filters; "" for nothing
};

// One algorithm and protocol that NCCL has a kernel for.
struct EntryView {
  nccl::Algorithm algorithm = nccl::Algorithm::kRing;
  nccl::Protocol protocol = nccl::Protocol::kSimple;
  std::optional<double> ncclUs;  // by NCCL's table; absent without a table or where it is refused
  nccl::GateAnswer gate;
};

// One choice of the rule that fits, in the rule's order.
struct ChoiceView {
  const Choice* choice = nullptr;
  std::optional<double> predictedUs;  // by the policy
  int setChannels = 0;                // what the plugin writes to *nChannels; 0: NCCL's own number
  nccl::ChannelPlan channels;
  EntryView entry;
  bool taken = false;
};

struct Explanation {
  const ExplainQuestion* question = nullptr;
  Outcome outcome = Outcome::kNoRule;
  // The rule that fits, when one does: where it stands and what it says.
  std::optional<Origin> origin;
  const polyrail::Table* table = nullptr;
  const Rule* rule = nullptr;
  std::vector<ChoiceView> choices;
  std::vector<EntryView> entries;
  // What NCCL takes by itself; only with its table.
  std::optional<nccl::DefaultChoice> ncclDefault;
  nccl::ChannelPlan defaultChannels;
  int pool = 0;  // the channels reckoned with, and whether anything said so
  bool poolKnown = false;
  std::vector<std::string> nearest;  // without a rule: what would have had to be otherwise
  std::vector<std::string> notes;    // what a reader must know to use this rightly

  const ChoiceView* chosen() const;  // nullptr: NCCL decides by itself
};

// Fails only when the policy cannot be compiled for this shape.
Result<Explanation> explain(const Policy& policy, const ExplainQuestion& question);

// NCCL's tuner ABI by version: 2 for 2.21 up to 6 for 2.30; 0 when it has none that the plugin speaks.
int tunerAbi(int version);

}  // namespace polyrail::cli
