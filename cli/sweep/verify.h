// SPDX-License-Identifier: Apache-2.0
// A policy against NCCL's default, measured: the plan's collectives and layouts at all sizes, by turns with and
// without it, so that drift is on both sides. Whether a size is faster or slower is judged as the learner does, by
// intervals that hold for all sizes of a collective and layout together. One thread; blocks.
#pragma once

#include "cli/sweep/campaign.h"

namespace polyrail::sweep {

enum class Change { kFaster, kNone, kSlower };

struct VerifiedSize {
  uint64_t bytes = 0;                  // nccl-tests' size column
  double defaultUs = 0, policyUs = 0;  // medians of the runs, of both placements together
  double saved = 0;                    // share of the default's time; negative: lost
  double low = 0, high = 0;            // bounds of `saved`
  Change change = Change::kNone;       // kNone: within the noise
  std::string choice, byDefault;       // what NCCL logged that it ran, "tree/ll"; "" when it did not
};

struct VerifiedField {
  nccl::Collective collective = nccl::Collective::kAllReduce;
  Layout layout;
  std::vector<VerifiedSize> sizes;
  std::string unusable;  // why there are none
  size_t slower() const;
};

struct VerifyRequest {
  std::string policy, digest;      // absolute path, SHA-256
  std::string tuner = "polyrail";  // NCCL_TUNER_PLUGIN
};

// A run with the policy counts only if its log shows that the tuner has read these very bytes. The error is of the
// journal's folder, or kInterrupted.
Result<std::vector<VerifiedField>> verifyPolicy(const Plan& plan, const VerifyRequest& request, Journal& journal,
                                                const std::function<void(const Step&)>& told);

// The judgement alone: runs of the default and of the policy, each a time at every size. Pure.
std::vector<VerifiedSize> judgeRuns(const std::vector<uint64_t>& sizes,
                                    const std::vector<std::vector<Sample>>& byDefault,
                                    const std::vector<std::vector<Sample>>& byPolicy);

}  // namespace polyrail::sweep
