// SPDX-License-Identifier: Apache-2.0
// A span of measured sizes as a rule of the policy: choices in order, predicted times, evidence. Pure; any thread.
#pragma once

#include "cli/learn/intervals.h"
#include "common/policy/policy.h"

namespace polyrail::cli {

// The span's arm first; then up to two other pairs of algorithm and protocol, for communicators where NCCL does not
// allow the first: those that are faster than the default at every size of the span and may be chosen by themselves
// at half of them at least. REQUIRES: span.series != 0
Rule buildRule(const Sweep& sweep, const Comparison& comparison, const Span& span, const Interval& bytes,
               double confidence);

}  // namespace polyrail::cli
