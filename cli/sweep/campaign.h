// SPDX-License-Identifier: Apache-2.0
// A whole sweep: one race after the other for each collective on each layout. What it finds is in the folder's logs,
// for the learner; what is returned here is about the sweep itself. One thread; blocks until all is measured.
#pragma once

#include <functional>

#include "cli/sweep/measure.h"
#include "cli/sweep/race.h"

namespace polyrail::sweep {

// What a person who waits is told after each run.
struct Step {
  std::string what;  // the question's name
  const Answer* answer = nullptr;
  double secondsLeft = 0;  // an estimate, for all of it
};

struct GivenUp {
  cli::Arm arm;
  std::string reason;  // of the last failure
};

// One collective on one layout.
struct FieldFindings {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  Layout layout;
  std::vector<uint64_t> sizes;
  std::vector<std::optional<cli::Arm>> best;  // by size, by least median; what is certain is the learner's to say
  std::vector<double> bestUs, defaultUs;      // by size
  std::vector<GivenUp> givenUp;
  Coverage coverage;
  size_t runs = 0, failures = 0;
  double drift = 0;      // of the default from its first run to its last, median over sizes: 0.01 is 1 % slower
  double noise = 0;      // of one run of the default against the one before, the same median
  std::string unusable;  // why nothing came of it: the default itself failed
};

struct Findings {
  std::vector<FieldFindings> fields;
  size_t recalled = 0;  // runs that an earlier start had done
};

// REQUIRES: checkPlan() and checkTemplates() are ok. The error is of the folder, or kInterrupted.
Result<Findings> runCampaign(const Plan& plan, Journal& journal, const std::function<void(const Step&)>& told);

}  // namespace polyrail::sweep
