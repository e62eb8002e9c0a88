// SPDX-License-Identifier: Apache-2.0
// The end of `polyrail perf` that waits for the other, does as it says and receives. Returns when the other end has
// said goodbye; its own errors are told to the other end, too. One thread.
#pragma once

#include "cli/perf/end.h"

namespace polyrail::cli {

// What the other end wants measured. The error, which it is told too: it is a stranger, or of another version.
Result<PerfPlan> greet(Control& control);

// What was received in all.
Result<Received> serve(Control& control, const PerfPlan& plan, const EndOptions& options);

}  // namespace polyrail::cli
