// SPDX-License-Identifier: Apache-2.0
// The end of `polyrail perf` that waits for the other, does as it says and receives. Returns when the other end has
// said goodbye; its own errors are told to the other end, too. One thread.
#pragma once

#include "cli/perf/end.h"

namespace polyrail::cli {

// What was received in all.
Result<Received> serve(Control& control, const EndOptions& options);

}  // namespace polyrail::cli
