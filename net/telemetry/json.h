// SPDX-License-Identifier: Apache-2.0
// What a process leaves behind when its plugin is finalized: what its rails have done in all, as JSON
// (docs/telemetry.md). Pure but for writeFile().
#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "net/telemetry/layout.h"

namespace polyrail::net {

std::string telemetryJson(const TelemetryHeader& header, const std::vector<RailRecord>& rails);
// %p is the process, %h the host, %r the rank or "unknown", %% a per cent sign; other letters stay as they are.
std::string expandName(const std::string& pattern, const TelemetryHeader& header);
// In place of what was there, whole or not at all. The error names the file.
Status writeFile(const std::string& name, const std::string& text);

}  // namespace polyrail::net
