// SPDX-License-Identifier: Apache-2.0
// Reads the telemetry files of a node's processes (net/telemetry/reader.h) into a sample. Files are anybody's: what
// one says wrong costs that file alone. One thread.
#pragma once

#include "cli/top/sample.h"
#include "net/telemetry/reader.h"

namespace polyrail::cli {

// `nowNs`: CLOCK_MONOTONIC.
TopSample gatherSample(const std::string& folder, int64_t nowNs);

// What one file says.
ProcessSample processOf(const net::Snapshot& snapshot, const std::string& file);

}  // namespace polyrail::cli
